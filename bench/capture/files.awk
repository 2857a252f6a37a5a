# The file lists of the installed packages (/var/lib/dpkg/info/*.list) to one file of rows, built as
# packages.awk builds its own:
#   package path
# Directories are left out: each package lists those it shares with others, too, so that /usr would
# be everybody's. A directory is a line that the next one goes on from.
# Usage: awk -f files.awk /var/lib/dpkg/info/*.list > FILE
FNR == 1 {
    finish()
    package = FILENAME
    gsub(/.*\/|(:[a-z0-9]+)?\.list$/, "", package)
}
path != "" && path != "/." && index($0, path "/") != 1 { print_row() }
{ path = $0 }
END { finish() }

function print_row() { printf "%s\037%s\036", package, path }
function finish() {
    if (path != "" && path != "/.")
        print_row()
    path = ""
}

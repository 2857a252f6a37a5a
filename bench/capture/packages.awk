# Debian package records (apt-cache dumpavail) to two files of rows for sqlite3's .import --ascii:
#   packages      name version section priority maintainer architecture installed size homepage
#                 filename sha256 tags summary
#   dependencies  name kind target      (of Pre-Depends, Depends and Recommends; each alternative)
# Fields end with 0x1f, rows with 0x1e, neither of which occurs in the records.
# Usage: apt-cache dumpavail | awk -v packages=FILE -v dependencies=FILE -f packages.awk
BEGIN {
    nr_columns = split("Package Version Section Priority Maintainer Architecture Installed-Size " \
                       "Size Homepage Filename SHA256 Tag Description", columns, " ")
    nr_kinds = split("Pre-Depends Depends Recommends", kinds, " ")
}

# A line that opens with a space goes on with the field before it.
/^[ \t]/ { record[field] = record[field] $0; next }
/^$/ { finish(); next }
{
    field = substr($0, 1, index($0, ":") - 1)
    record[field] = substr($0, length(field) + 3)
}
END { finish() }

function finish(    i, row) {
    if (record["Package"] != "") {
        for (i = 1; i <= nr_columns; i++)
            row = row (i > 1 ? "\037" : "") record[columns[i]]
        printf "%s\036", row > packages
        for (i = 1; i <= nr_kinds; i++)
            depend(record["Package"], kinds[i], record[kinds[i]])
    }
    for (i in record)
        delete record[i]
}

# "libc6 (>= 2.34), default-mta | mail-transport-agent" names three packages.
function depend(name, kind, list,    i, nr_targets, targets) {
    nr_targets = split(list, targets, /[,|]/)
    for (i = 1; i <= nr_targets; i++) {
        sub(/^ +/, "", targets[i])
        sub(/[ (:[<].*/, "", targets[i])
        if (targets[i] != "")
            printf "%s\037%s\037%s\036", name, kind, targets[i] > dependencies
    }
}

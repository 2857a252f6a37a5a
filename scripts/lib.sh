# lib.sh: what the scripts share; sourced, never run. Bash.

say() { printf '%s\n' "$@"; } # one line an argument
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

root_dir() { cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd; }

# Colour only for a person.
if [[ -t 1 && -z ${NO_COLOR-} ]]; then
    bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
    bold='' red='' green='' plain=''
fi

# Installs the named Debian packages that are missing, asking the package index once at most; says
# exactly what is missing where it may not. GENLRU_NO_INSTALL=1 trusts that all is there (other
# distributions, offline machines): what is missing then shows up as an error of the build.
install_packages() # PACKAGE...
{
    local missing=() package as_root=()

    [[ -z ${GENLRU_NO_INSTALL-} ]] || return 0
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        die "this is no Debian: install the equivalents of '$*', then run again with GENLRU_NO_INSTALL=1"
    fi
    for package; do
        if [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
            missing+=("$package")
        fi
    done
    ((${#missing[@]} > 0)) || return 0

    if (($(id -u) != 0)); then
        if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
            as_root=(sudo)
        else
            die "these packages are missing and cannot be installed without root: ${missing[*]}"
        fi
    fi
    say "installing ${missing[*]}"
    run_apt update && run_apt install -y --no-install-recommends "${missing[@]}" ||
        die "these packages are missing and could not be installed: ${missing[*]}"
}

# Quiet unless it fails. Expects as_root of install_packages.
run_apt() # ARGUMENT...
{
    local log
    log=$(mktemp)
    if ! ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

# The newest CMake that can read our presets, or a clear word.
require_cmake()
{
    local version
    version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
    [[ $(printf '3.25\n%s\n' "$version" | sort -V | head -n1) == 3.25 ]] ||
        die "CMake 3.25 or newer is needed, this is $version"
}

# Runs a command with its output in LOG; if the command fails, shows the end of it without what went well.
logged() # LOG COMMAND...
{
    local log=$1
    shift
    mkdir -p "$(dirname "$log")"
    if ! "$@" >"$log" 2>&1; then
        grep -vE '^ +Start +[0-9]+:|[.] +Passed +[0-9]|^$' "$log" | tail -n 150 >&2
        say "${red}failed:${plain} $* (all of it: $log)" >&2
        return 1
    fi
}

# Configures and builds a preset; quiet unless it fails.
build_preset() # PRESET
{
    logged "build/logs/$1-configure.log" cmake --preset "$1" &&
        logged "build/logs/$1-build.log" cmake --build --preset "$1" -j "$(nproc)"
}

# Aligns a table of tab-separated values: the first column to the left, the others to the right.
align()
{
    awk -F'\t' '
        { rows = NR; if (NF > columns) columns = NF
          for (i = 1; i <= NF; i++) { cell[NR, i] = $i; if (length($i) > width[i]) width[i] = length($i) } }
        END {
            for (r = 1; r <= rows; r++) {
                line = sprintf("  %-" width[1] "s", cell[r, 1])
                for (i = 2; i <= columns; i++) line = line sprintf("  %" width[i] "s", cell[r, i])
                sub(/ +$/, "", line); print line
            }
        }'
}

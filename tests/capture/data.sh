#!/bin/sh
# data/README.md tells the truth about each trace it lists: bytes, requests, distinct keys and the
# share seen once; each line of a trace is one decimal key that fits 64 bits.
# Usage: data.sh DATA_FOLDER        Exit status: 0 passed, 1 failed, 77 skipped.
set -eu
LC_ALL=C
export LC_ALL

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

command -v zstd >/dev/null || { echo "skipped: no zstd"; exit 77; }
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# | `FILE` | requests | distinct | share % of the keys | bytes |  →  FILE requests distinct share bytes
# shellcheck disable=SC2016
sed -n 's/^| `\([^`]*\.zst\)` | \([0-9,]*\) | \([0-9,]*\) | \([0-9.]*\) % .* | \([0-9,]*\) |$/\1 \2 \3 \4 \5/p' \
    README.md | tr -d , >"$work/listed"
for file in *.zst; do
    zstd -q -dc "$file" >"$work/trace" || fail "$file doesn't unpack"
    bad=$(grep -n -v -E '^(0|[1-9][0-9]{0,18})$' "$work/trace" | head -n 1)
    [ -z "$bad" ] || fail "$file: a line that is no key: $bad"
    sort "$work/trace" | uniq -c | awk -v file="$file" -v bytes="$(wc -c <"$file")" '
        { nr_requests += $1; nr_once += $1 == 1 }
        END { printf "%s %d %d %.1f %d\n", file, nr_requests, NR, 100 * nr_once / NR, bytes }'
done >"$work/found"
[ -s "$work/found" ] || fail "no trace in $1"
diff "$work/listed" "$work/found" || fail "README.md says what is marked <, the files what is marked >"
echo "passed: $(cat "$work/found")"

#!/bin/sh
# What libgenlru-trace.so (bench/capture/blocks.c) promises:
#   every call's blocks are in the trace, exactly and in order; pipes, sockets, devices, directories
#   and failed calls are not; threads lose nothing; each process has a file of its own;
#   unmodified programs give the results they give without it;
#   a trace that can't be begun or finished is said once and never looks like a whole one;
#   genlru-sim reads it.
# With an empty SHIM, HOST has it inside (built with a sanitizer): then only what HOST does is tried.
# Usage: trace.sh SHIM HOST SIM        Exit status: 0 passed, 1 failed, 77 skipped.
set -u
LC_ALL=C
export LC_ALL
unset GENLRU_TRACE GENLRU_TRACE_BLOCK

shim=$1
host=$2
sim=$3
command -v zstd >/dev/null || { echo "skipped: no zstd"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

nr_failed=0
fail() {
    echo "FAILED: $*"
    nr_failed=$((nr_failed + 1))
}
# expect WHAT EXPECTED ACTUAL
expect() {
    [ "$2" = "$3" ] || fail "$1
  expected: $2
  actual:   $3"
}
# traced PREFIX COMMAND...
traced() {
    prefix=$1
    shift
    GENLRU_TRACE=$prefix LD_PRELOAD=$shim "$@"
}
# The keys of the traces PREFIX.*
keys() {
    zstd -q -dc "$1".*.txt.zst
}
nr_files() {
    find . -name "$1.[0-9]*" | wc -l | tr -d ' '
}

# ---- keys ----

"$host" calls file >plain.expected || fail "calls, without the shim"
traced calls "$host" calls file >calls.expected || fail "calls"
keys calls >calls.keys
cmp plain.expected calls.expected || fail "calls: the program noticed"
diff calls.expected calls.keys || fail "calls: keys (< expected, > recorded)"
[ "$(wc -l <calls.keys)" -ge 34 ] || fail "calls: only $(wc -l <calls.keys) keys"

# Each thread's keys, in its order: sorted stably by the thread that owns a block (16 each).
traced threads "$host" threads file >threads.expected || fail "threads"
keys threads | awk -F : '{ print int($3 / 16), $0 }' | sort -s -n -k 1,1 | cut -d ' ' -f 2 >threads.keys
cmp threads.expected threads.keys || fail "threads: keys"
expect "threads: lines" 80000 "$(wc -l <threads.keys | tr -d ' ')"

# A handler reads while a read is being recorded: recorded, or counted as missing; never a deadlock.
traced signals "$host" signals file >signals.expected 2>signals.err || fail "signals"
keys signals | grep -v ':63$' >signals.keys
cmp signals.expected signals.keys || fail "signals: keys of the interrupted reads"
nr_missed=$(sed -n 's/^genlru-trace: .*lacks some, .*: \([0-9]*\) reads of signal handlers$/\1/p' signals.err)
expect "signals: recorded and missed" "$(sed -n 's/^handled //p' signals.err)" \
    $((${nr_missed:-0} + $(keys signals | grep -c ':63$')))

# ---- processes ----

traced forks "$host" forks file >forks.lines || fail "forks"
sort forks.lines >forks.expected
for file in forks.*.txt.zst; do
    pid=${file#forks.}
    pid=${pid%.txt.zst}
    zstd -q -dc "$file" | sed "s/^/${pid%-*} /"
done | sort >forks.keys
diff forks.expected forks.keys || fail "forks: keys (< expected, > recorded)"
# Parent; child with exit; with _exit; before and after exec. The idle child leaves none.
expect "forks: files" 5 "$(find . -name 'forks.*.txt.zst' | wc -l | tr -d ' ')"
expect "forks: nothing unfinished" 0 "$(find . -name 'forks.*.part' | wc -l | tr -d ' ')"

if [ -z "$shim" ]; then
    [ $nr_failed -eq 0 ] || exit 1
    echo "passed: calls, threads, signals, forks"
    exit 0
fi

# Blocks of 8192 bytes: half the numbers; blocks of 1 byte: every byte.
GENLRU_TRACE_BLOCK=8192 traced large cat file >/dev/null
expect "blocks of 8192" "$(seq 0 32 | tr '\n' ' ')" \
    "$(keys large | sed 's/.*://' | uniq | tr '\n' ' ')"
printf 'abc' >three
GENLRU_TRACE_BLOCK=1 traced small cat three >/dev/null
expect "blocks of 1" "0 1 2 " "$(keys small | sed 's/.*://' | tr '\n' ' ')"
expect "device and inode" "$(stat -c '%d:%i' three)" "$(keys small | sed 's/:[0-9]*$//' | uniq)"

mkdir elsewhere
traced shell sh -c 'cd elsewhere && cat ../three && cat ../three' >shell.out || fail "shell"
expect "shell: results" abcabc "$(cat shell.out)"
expect "shell: each cat has a file here, wherever it ran" "$(stat -c '%d:%i:0' three)" \
    "$(keys shell | grep ":$(stat -c %i three):" | uniq)"
expect "shell: nothing elsewhere" 0 "$(find elsewhere -type f | wc -l | tr -d ' ')"

# ---- unmodified programs ----

traced cat_ cat file >cat.out || fail "cat: exit status"
cmp file cat.out || fail "cat: results"
traced missing cat no_such_file >missing.out 2>missing.err && fail "cat: exit status of a failure"
expect "cat: messages" "$(cat no_such_file 2>&1)" "$(cat missing.err)"
expect "nothing read, nothing left" 0 "$(nr_files missing)"

if command -v sqlite3 >/dev/null; then
    {
        echo "CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT);"
        echo "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
        echo "INSERT INTO t SELECT i, hex(zeroblob(100)) FROM n;"
    } | sqlite3 my.db
    query="PRAGMA integrity_check; SELECT sum(length(body)) FROM t; SELECT * FROM missing;"
    sqlite3 my.db "$query" >sqlite.plain 2>&1
    traced sqlite sqlite3 my.db "$query" >sqlite.out 2>&1
    cmp sqlite.plain sqlite.out || fail "sqlite3: results"
    expect "sqlite3: pages" "$(sqlite3 my.db 'PRAGMA page_count')" \
        "$(keys sqlite | grep -F "$(stat -c '%d:%i:' my.db)" | sort -u | wc -l | tr -d ' ')"
fi
if command -v python3 >/dev/null; then
    script='
import os, subprocess, sys
with open("file", "rb", buffering=0) as f:
    print(len(f.read(10)), f.fileno(), len(os.pread(f.fileno(), 99, 8192)))
print(subprocess.run(["cat", "three"], capture_output=True).stdout)
pid = os.fork()
if pid == 0:
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), sorted(os.listdir("/proc/self/fd")))'
    python3 -c "$script" >python.plain 2>&1
    traced python python3 -c "$script" >python.out 2>&1
    diff python.plain python.out || fail "python3: results"
    expect "python3: keys" "0 2" "$(keys python | grep -F "$(stat -c '%d:%i:' file)" |
        sed 's/.*://' | tr '\n' ' ' | sed 's/ $//')"
fi

# ---- errors ----

# refused NAME PREFIX MESSAGE
refused() {
    traced "$2" cat three >"$1.out" 2>"$1.err" && fail "$1: exit status 0"
    expect "$1: results" "" "$(cat "$1.out")"
    grep -q "^genlru-trace: cat.*$3" "$1.err" || fail "$1: $(cat "$1.err")"
    expect "$1: messages" 1 "$(grep -c genlru-trace "$1.err")"
}
refused no_directory "$work/no/such/t" "$work/no/such/t\..*: No such file or directory"
refused no_folder three/t "three/t\..*: Not a directory"
refused empty "" "Invalid argument"
refused long "$(printf '%05000d' 0)" "File name too long"
for block in 0 -1 12x '' 99999999999999999999; do
    GENLRU_TRACE_BLOCK=$block
    export GENLRU_TRACE_BLOCK
    GENLRU_TRACE=block LD_PRELOAD=$shim cat three >block.out 2>block.err && fail "block $block"
    grep -q "^genlru-trace: .*GENLRU_TRACE_BLOCK .*not a number" block.err || fail "block '$block'"
done
unset GENLRU_TRACE_BLOCK
rm block.out block.err
expect "refused blocks: nothing left" 0 "$(nr_files block)"
LD_PRELOAD=$shim cat three >unset.out 2>&1
expect "no variable: an ordinary run" abc "$(cat unset.out)"

# A file-size limit, as a full disk: the program does its work to the end, without a SIGXFSZ. Output
# goes through a pipe, which the limit isn't for.
(
    ulimit -f 1
    GENLRU_TRACE_BLOCK=1 traced full cat file 2>full.err | cat >/dev/null
    GENLRU_TRACE_BLOCK=1 traced full "$host" one file 1 2>>full.err | cat >/dev/null
    GENLRU_TRACE_BLOCK=1 traced full sh -c 'cat file; cat file' 2>full_sh.err | cksum >full.sum
) 2>/dev/null
expect "file-size limit: results" "$(cat file file | cksum)" "$(cat full.sum)"
grep -q "^genlru-trace: cat.* ends too early, in .*/full\..*\.part: File too large" full.err ||
    fail "file-size limit: $(cat full.err)"
expect "file-size limit: messages, one a process" 2 "$(grep -c genlru-trace full_sh.err)"
find . -name 'full.*.part' | grep -q . || fail "file-size limit: what was written is gone"

# The file is taken away, or is another one now: said, and the other one isn't touched.
# shellcheck disable=SC2016
traced gone sh -c 'exec 3<three; read -r line <&3; rm gone.$$.txt.zst.part; echo other >gone.$$.txt.zst.part' \
    2>gone.err
grep -q "ends too early, in .*/gone\..*: Stale" gone.err || fail "another file: $(cat gone.err)"
expect "another file" other "$(cat gone.*.part)"

# Killed: no file that looks whole, and what was written is readable.
traced killed "$host" killed file >killed.out 2>/dev/null
[ "$(find . -name 'killed.*.txt.zst' | wc -l)" -eq 0 ] || fail "killed: a cut trace looks whole"
zstd -q -dc <"$(find . -name 'killed.*.part')" >killed.keys 2>/dev/null
[ "$(wc -l <killed.keys)" -gt 60000 ] || fail "killed: only $(wc -l <killed.keys) lines are readable"

# ---- read back ----

"$sim" stat --trace calls.*.txt.zst >stat.out 2>&1 || fail "genlru-sim stat: $(cat stat.out)"
# column NAME
column() {
    awk -v name="$1" '!/^#/ && !nr { for (i = 1; i <= NF; i++) if ($i == name) at = i; nr = 1; next }
        !/^#/ { print $at }' stat.out
}
expect "genlru-sim: requests" "$(wc -l <calls.keys | tr -d ' ')" "$(column requests)"
expect "genlru-sim: distinct" "$(sort -u calls.keys | wc -l | tr -d ' ')" "$(column distinct)"

if [ $nr_failed -gt 0 ]; then
    echo "$nr_failed failed"
    exit 1
fi
echo "passed: $(wc -l <calls.keys) keys of $(grep -c . calls.expected) reads, 80000 of threads"

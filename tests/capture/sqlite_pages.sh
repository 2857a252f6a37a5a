#!/bin/sh
# What bench/capture/sqlite_pages.c promises, shown with the unmodified sqlite3 shell:
#   the keys are the pages a small database, worked out by hand, has to be read at;
#   a trace doesn't depend on the size of SQLite's cache; two files never share a key;
#   the shell's results, messages and exit status are what they are without the shim;
#   a trace that can't be begun or finished is a clear error and never looks like a whole one.
# Usage: sqlite_pages.sh SHIM        Exit status: 0 passed, 1 failed, 77 skipped.
set -u

shim=$1
if [ -z "$shim" ]; then
    echo "skipped: the shim isn't built (libsqlite3-dev is missing)"
    exit 77
fi
[ -r "$shim" ] || { echo "FAILED: there is no $shim"; exit 1; }
if ! command -v sqlite3 >/dev/null; then
    echo "skipped: no sqlite3 shell"
    exit 77
fi
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

# expect_in WHAT PATTERN FILE
expect_in() {
    grep -q -- "$2" "$3" || fail "$1: no '$2' in: $(cat "$3")"
}

# Nothing of the user's configuration (~/.sqliterc) may decide here.
HOME=$work
export HOME

# capture TRACE ARGUMENT...: run the shell with the shim.
capture() {
    trace=$1
    shift
    GENLRU_CAPTURE=$trace LD_PRELOAD=$shim sqlite3 "$@"
}

# The pages of a trace on one line, each run of the same page once.
pages() {
    uniq "$1" | tr '\n' ' ' | sed 's/ $//'
}

count() {
    wc -l <"$1" | tr -d ' '
}

# By hand: pages of 512 bytes and rows of 400, so one row fills a leaf. Page 1 holds the schema.
#
#             t: root 2                      t_by_k: root 8
#    ┌──────┬────┴─┬──────┬──────┐           (5 short entries: no more pages)
#   3: 1   4: 2   5: 3   6: 4   7: 5
#
# Row 1 was page 2's until row 2 came: the root then went down to page 3 and each further row took
# the next free page. k runs the other way round: k = 10 × (6 − id).
sqlite3 tiny.db "
    PRAGMA page_size = 512;
    CREATE TABLE t (id INTEGER PRIMARY KEY, k INTEGER, body TEXT);
    INSERT INTO t VALUES (1, 50, hex(zeroblob(200)));
    INSERT INTO t VALUES (2, 40, hex(zeroblob(200)));
    INSERT INTO t VALUES (3, 30, hex(zeroblob(200)));
    INSERT INTO t VALUES (4, 20, hex(zeroblob(200)));
    INSERT INTO t VALUES (5, 10, hex(zeroblob(200)));
    CREATE INDEX t_by_k ON t (k);"

by_hand() { # NAME SQL PAGES
    capture "$1.txt" tiny.db "$2" >"$1.out" 2>&1 || fail "$1: $(cat "$1.out")"
    expect "$1" "$3" "$(pages "$1.txt")"
}
by_hand point "SELECT body FROM t WHERE id = 3" "1 2 5"
by_hand scan "SELECT sum(length(body)) FROM t" "1 2 3 4 5 6 7"
# Row 5 is what tells the scan that it is past 4.
by_hand range "SELECT sum(length(body)) FROM t WHERE id BETWEEN 2 AND 4" "1 2 4 5 6 7"
by_hand secondary "SELECT body FROM t WHERE k = 20" "1 8 2 6"
by_hand covered "SELECT k FROM t WHERE k = 20" "1 8"
# A commit counts itself on page 1. The cursor that found row 5 stays on it while the index changes.
by_hand update "UPDATE t SET body = hex(randomblob(200)) WHERE id = 5" "1 2 7 1"
by_hand update_index "UPDATE t SET k = 11 WHERE id = 5" "1 2 7 8 1"
# A rollback asks whether pages 7 and 8 are cached, to undo them there: no access. Then page 1.
by_hand rollback "BEGIN; UPDATE t SET k = 12 WHERE id = 5; ROLLBACK" "1 2 7 8 1"

# Not only which, but how many: a look-up is page 1 (is the schema still the same?), root and leaf.
# In one transaction page 1 is looked at once.
point="SELECT body FROM t WHERE id = 3;"
before=$(count point.txt)
capture eleven.txt tiny.db \
    "$point $point $point $point $point $point $point $point $point $point $point" >/dev/null
expect "10 look-ups more" $((before + 10 * 3)) "$(count eleven.txt)"
capture within.txt tiny.db "BEGIN; $point $point $point $point COMMIT;" >/dev/null
expect "3 look-ups more, in a transaction" $((before + 3 * 2)) "$(count within.txt)"
capture nothing.txt tiny.db "SELECT 1" >/dev/null
expect "no page read: an empty trace" 0 "$(count nothing.txt)"

# Two files: the second cache's keys start at 2^32.
cp tiny.db other.db
capture attached.txt tiny.db "SELECT length(body) FROM t WHERE id = 1; ATTACH 'other.db' AS o;
    SELECT length(body) FROM o.t WHERE id = 5" >attached.out
expect "attached: results" "400
400" "$(cat attached.out)"
second=4294967296
expect "attached: keys of the first" "1 2 3" \
    "$(awk -v s=$second '$1 < s' attached.txt | sort -nu | tr '\n' ' ' | sed 's/ $//')"
expect "attached: keys of the second" "1 2 7" \
    "$(awk -v s=$second '$1 >= s { printf "%d\n", $1 - s }' attached.txt | sort -nu |
        tr '\n' ' ' | sed 's/ $//')"

# More dirty pages than the cache may hold: SQLite must write some out and ask again. The trace, the
# results and the database are those of a cache with room for everything. Pages are also cut off
# (rollback, vacuum), chained (rows longer than a page) and, in the last run, renumbered. Debian has
# secure_delete on; sqlite_pages.c says why it must be off here.
cat >churn.sql <<'END'
CREATE TABLE u (id INTEGER PRIMARY KEY, k INTEGER, body TEXT);
CREATE INDEX u_by_k ON u (k);
BEGIN;
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO u SELECT i, i * 7919 % 2003, hex(zeroblob(100)) FROM n;
UPDATE u SET body = body || 'x' WHERE k % 3 = 0;
DELETE FROM u WHERE k % 5 = 0;
COMMIT;
BEGIN;
UPDATE u SET k = k + 1;
INSERT INTO u SELECT id + 10000, k, body FROM u;
ROLLBACK;
INSERT INTO u SELECT id + 20000, k, hex(zeroblob(1500)) FROM u WHERE id < 300;
DELETE FROM u WHERE id BETWEEN 20100 AND 20200;
SELECT count(*), sum(k), sum(length(body)) FROM u;
SELECT * FROM missing;
PRAGMA integrity_check;
VACUUM;
SELECT id FROM u WHERE k BETWEEN 100 AND 120 ORDER BY k;
END
churn() { # NAME PRAGMAS
    { echo "PRAGMA page_size = 1024; $2"; cat churn.sql; } >run.sql
    sqlite3 plain.db <run.sql >plain.out 2>plain.err
    plain_status=$?
    capture "$1.txt" churn.db <run.sql >"$1.out" 2>"$1.err"
    expect "$1: exit status" $plain_status $?
    cmp plain.out "$1.out" || fail "$1: results"
    cmp plain.err "$1.err" || fail "$1: messages"
    cmp plain.db churn.db || fail "$1: database"
    rm plain.db churn.db
}
churn small "PRAGMA secure_delete = OFF; PRAGMA cache_size = 10;"
churn large "PRAGMA secure_delete = OFF; PRAGMA cache_size = 100000;"
churn renumbered "PRAGMA auto_vacuum = FULL; PRAGMA cache_size = 10;"
expect_in "the workload does what it should" "^ok" small.out
cmp small.txt large.txt || fail "the trace depends on the size of SQLite's cache"
[ "$(count small.txt)" -gt 10000 ] || fail "churn: only $(count small.txt) accesses"

# A trace that can't be begun: SQLite doesn't start, one message says why, nothing is touched.
refused() { # NAME TRACE MESSAGE
    capture "$2" tiny.db "SELECT 1" >"$1.out" 2>"$1.err" && fail "$1: exit status 0"
    expect "$1: results" "" "$(cat "$1.out")"
    expect_in "$1" "genlru-capture: .*$3" "$1.err"
    expect "$1: messages" 1 "$(grep -c genlru-capture "$1.err")"
}
refused no_directory "$work/no/such/trace" "$work/no/such/trace: No such file or directory"
refused empty_name "" "Invalid argument"
refused long_name "$(printf '%05000d' 0)" "File name too long"
echo precious >there.txt
refused there "$work/there.txt" "will not overwrite .*there.txt: File exists"
expect "existing trace" precious "$(cat there.txt)"
echo precious >half.txt.part
refused half "$work/half.txt" "will not overwrite .*half.txt: File exists"
expect "existing part" precious "$(cat half.txt.part)"

# A trace that can't go on (a file-size limit, as a full disk): the shell does its work to the end.
{
    echo "PRAGMA journal_mode = OFF;"
    cat churn.sql
} >run.sql
sqlite3 :memory: <run.sql >full_plain.out 2>/dev/null
(
    trap '' XFSZ
    ulimit -f 8
    capture full.txt :memory: <run.sql 2>full.err | cat >full.out
)
expect_in "file-size limit" "genlru-capture: .*/full.txt.part: File too large" full.err
expect "file-size limit: messages" 1 "$(grep -c genlru-capture full.err)"
cmp full_plain.out full.out || fail "file-size limit: results"
[ ! -e full.txt ] || fail "file-size limit: a cut trace looks whole"
[ -s full.txt.part ] || fail "file-size limit: what was written is gone"

# Ways out of the program, and what it may do on the way.
capture exit3.txt tiny.db "$point" ".exit 3" >/dev/null
expect ".exit 3: exit status" 3 $?
expect ".exit 3" "1 2 5" "$(pages exit3.txt)"
printf '%s\nSELECT * FROM missing;\n%s\n' "$point" "$point" |
    capture bail.txt -bail tiny.db >/dev/null 2>&1 && fail "-bail: exit status 0"
expect "-bail: the look-up, and page 1 before \"no such table\"" $((before + 1)) "$(count bail.txt)"
# shellcheck disable=SC2016
capture killed.txt tiny.db "$point" '.shell kill -9 $PPID' >/dev/null 2>&1
[ ! -e killed.txt ] || fail "killed: a cut trace looks whole"
[ -e killed.txt.part ] || fail "killed: no .part"
mkdir elsewhere
capture moved.txt tiny.db "$point" ".cd elsewhere" >/dev/null || fail ".cd: exit status"
expect ".cd" "1 2 5" "$(pages moved.txt)"
capture child.txt tiny.db "$point" '.shell sqlite3 other.db "SELECT count(*) FROM t"' \
    "$point" >child.out 2>&1
expect "child: its result" 5 "$(grep -x 5 child.out)"
expect "child: only the parent's accesses" $((before + 3)) "$(count child.txt)"
# What another process wrote must be seen: the cache is told to forget.
capture stale.txt tiny.db "$point" \
    ".shell sqlite3 tiny.db \"UPDATE t SET body = 'new' WHERE id = 3\"" "$point" >stale.out 2>&1
expect "stale pages" new "$(tail -n 1 stale.out)"
LD_PRELOAD=$shim sqlite3 tiny.db "SELECT count(*) FROM t" >unset.out 2>&1
expect "no variable: an ordinary run" 5 "$(cat unset.out)"

if [ $nr_failed -gt 0 ]; then
    echo "$nr_failed failed, with SQLite $(sqlite3 --version)"
    exit 1
fi
echo "passed, with SQLite $(sqlite3 --version)"

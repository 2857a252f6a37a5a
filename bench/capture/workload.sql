-- Prints the statements of the captured run, one a line, for the database load.sql made. The same
-- database and :seed give the same text. Nothing here is captured; what it prints is.
--
-- Visitors come one after another. Each lands on a package, by zipf's law with exponent 1 over a
-- ranking by how many packages depend on it, and walks on from package to package along
-- dependencies, so that the skew is Debian's own. At each stop some of: the package's page, its
-- dependencies, who depends on it, its neighbours in the section, a word search, its files, whose
-- a file is. Each visit ends by counting and logging (update, insert).
--
--   phase   visits        what else runs                     what that asks of a cache
--   1 day      1 – 1400   nothing                            keep a skewed working set
--   2 night 1401 – 2000   an export of the catalogue, 120    keep it while a scan of everything
--                         packages after each visit;         trickles through, and then comes
--                         then reports that read it all      in a rush
--   3 release    – 3400   new versions for 25 packages       follow: visitors come for science
--                         after each visit                   and Python now
--   4 files      – 4200   nothing                            follow: half of all stops want files
--   5 day again  – 5200   one report, early                  the first set comes back
.bail on

-- 100 draws a visit in (0, 1), by Park and Miller's generator (CACM 31, 1988, with their multiplier
-- of 1993): 0 lands, 1 to 6 walk on, 10 + 10k to 16 + 10k choose at stop k, 99 is the update's.
CREATE TEMP TABLE draw AS
    WITH RECURSIVE next (i, x) AS (
        SELECT 0, :seed
        UNION ALL
        SELECT i + 1, x * 48271 % 2147483647 FROM next WHERE i < 100 * 5201
    )
    SELECT i AS i, x / 2147483647.0 AS u FROM next;
CREATE UNIQUE INDEX temp.draw_by_i ON draw (i);

CREATE TEMP TABLE ranking (name TEXT, rank INTEGER, package INTEGER);
INSERT INTO ranking
    SELECT 'all', row_number() OVER (ORDER BY nr_dependents DESC, id), id
    FROM (SELECT id, (SELECT count(*) FROM dependency WHERE target = package.name) AS nr_dependents
          FROM package);
INSERT INTO ranking
    SELECT 'science', row_number() OVER (ORDER BY rank), package
    FROM ranking JOIN package ON id = package
    WHERE section IN ('science', 'math', 'python', 'gnu-r', 'electronics');
CREATE UNIQUE INDEX temp.ranking_by_rank ON ranking (name, rank);
CREATE TEMP TABLE ranking_size AS SELECT name, count(*) AS nr FROM ranking GROUP BY name;

CREATE TEMP TABLE visit AS
    WITH RECURSIVE number (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM number WHERE v < 5200)
    SELECT v, 1 + (v > 1400) + (v > 2000) + (v > 3400) + (v > 4200) AS phase FROM number;

-- Where visit v stands at its k-th stop, of 1 to 6. A package that depends on none ends it.
-- The rank is nr to the power of a draw: its logarithm is uniform. "One row at random" is written
-- min(scrambled * 1000000 + id) % 1000000: the id of the row whose scramble is least.
CREATE TEMP TABLE stop AS
    WITH RECURSIVE walk (v, phase, k, package) AS (
        SELECT v, phase, 0,
               (SELECT package FROM ranking_size CROSS JOIN ranking USING (name)
                WHERE name = CASE phase WHEN 3 THEN 'science' ELSE 'all' END
                  AND rank = CAST(pow(nr, (SELECT u FROM draw WHERE i = 100 * v)) AS INTEGER))
        FROM visit
        UNION ALL
        SELECT v, phase, k + 1,
               (SELECT min((p.id * 7919 + walk.v * 104729 + walk.k) % 10007 * 1000000 + p.id)
                       % 1000000
                FROM dependency AS d JOIN package AS p ON p.name = d.target
                WHERE d.package = walk.package)
        FROM walk
        WHERE walk.package IS NOT NULL AND k < 5
          AND (SELECT u FROM draw WHERE i = 100 * v + 1 + k) < 0.75
    )
    SELECT walk.v, walk.phase, walk.k, package.id, package.name, package.section,
           replace(substr(summary, 1, instr(summary || ' ', ' ') - 1), '"', '') AS word,
           (SELECT min((file.id * 7919 + walk.v * 104729) % 10007 * 1000000 + file.id) % 1000000
            FROM file WHERE file.package = package.id) AS file,
           100 * v + 10 + 10 * k AS i
    FROM walk JOIN package ON package.id = walk.package;

-- (v, k, n) orders the statements: v = 0 sets up; k = -1 opens the visit, 98 and 99 close it, 100
-- is what else runs after it.
CREATE TEMP TABLE statement (v, k, n, text);

-- No memory map and no secure delete: sqlite_pages.c says what they would do to the trace.
INSERT INTO statement VALUES
    (0, 0, 1, 'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;'),
    (0, 0, 2, 'PRAGMA mmap_size = 0; PRAGMA secure_delete = OFF;');

INSERT INTO statement SELECT v, -1, 0, 'BEGIN;' FROM visit;

INSERT INTO statement
    SELECT v, k, 0, format('SELECT * FROM package WHERE name = %Q;', name)
    FROM stop;

INSERT INTO statement
    SELECT v, k, 1,
           format('SELECT d.kind, p.name, p.summary FROM dependency AS d '
                  || 'CROSS JOIN package AS p ON p.name = d.target WHERE d.package = %d;', id)
    FROM stop JOIN draw ON draw.i = stop.i + 1 WHERE u < 0.4;

INSERT INTO statement
    SELECT v, k, 2,
           format('SELECT p.name, p.summary FROM dependency AS d '
                  || 'CROSS JOIN package AS p ON p.id = d.package WHERE d.target = %Q LIMIT 20;',
                  name)
    FROM stop JOIN draw ON draw.i = stop.i + 2 WHERE u < 0.25;

INSERT INTO statement
    SELECT v, k, 3,
           format('SELECT name, size, summary FROM package WHERE section = %Q AND name >= %Q '
                  || 'ORDER BY name LIMIT 25;', section, name)
    FROM stop JOIN draw ON draw.i = stop.i + 3 WHERE u < 0.2;

INSERT INTO statement
    SELECT v, k, 4,
           format('SELECT p.name, p.summary FROM search '
                  || 'CROSS JOIN package AS p ON p.id = search.rowid '
                  || 'WHERE search MATCH %Q LIMIT 20;', '"' || word || '"')
    FROM stop JOIN draw ON draw.i = stop.i + 4 WHERE u < 0.15 AND word <> '';

INSERT INTO statement
    SELECT v, k, 5, format('SELECT path FROM file WHERE package = %d LIMIT 25;', id)
    FROM stop JOIN draw ON draw.i = stop.i + 5 WHERE u < CASE phase WHEN 4 THEN 0.5 ELSE 0.1 END;

-- Where this machine doesn't have the package's files, some other package's file is asked for.
INSERT INTO statement
    SELECT v, k, 6,
           format('SELECT p.name, p.version FROM file '
                  || 'CROSS JOIN package AS p ON p.id = file.package WHERE path = %Q;', path)
    FROM stop JOIN draw ON draw.i = stop.i + 6
         JOIN file ON file.id = coalesce(stop.file, 1 + CAST(u * 1000000 AS INTEGER) * 7919
                                                      % (SELECT max(id) FROM file))
    WHERE u < CASE phase WHEN 4 THEN 0.8 ELSE 0.1 END;

INSERT INTO statement
    SELECT v, 98, k,
           format('UPDATE popularity SET views = views + 1 WHERE package = %d; '
                  || 'INSERT INTO event (session, package, what) VALUES (%d, %d, %Q);',
                  id, v, id, 'view ' || name)
    FROM stop;

INSERT INTO statement SELECT v, 99, 0, 'COMMIT;' FROM visit;

-- What else runs: the night's export, …
INSERT INTO statement
    SELECT v, 100, 0,
           format('SELECT name, version, size, sha256 FROM package WHERE id > %d '
                  || 'ORDER BY id LIMIT 120;', 120 * (v - 1401))
    FROM visit WHERE phase = 2;

-- … reports that read a whole table, one of them also in phase 5, …
INSERT INTO statement
    SELECT v, 100, n, text
    FROM visit JOIN (
        SELECT 1 AS n, 'SELECT count(*), sum(size), max(installed) FROM package NOT INDEXED '
                       || 'WHERE architecture = ''all'';' AS text
        UNION ALL
        SELECT 2, 'SELECT count(*) FROM package NOT INDEXED WHERE tags LIKE ''%role::program%'';'
        UNION ALL
        SELECT 3, 'SELECT count(*) FROM file NOT INDEXED WHERE path LIKE ''%/man1/%'';')
    WHERE v IN (1900, 1950, 2000) OR (v = 4300 AND n = 1);

-- … the most viewed packages, all the time; forgetting old events, twice; …
INSERT INTO statement
    SELECT v, 100, 4,
           'SELECT p.name, views FROM popularity '
           || 'CROSS JOIN package AS p ON p.id = popularity.package '
           || 'WHERE views >= 5 ORDER BY views DESC LIMIT 50;'
    FROM visit WHERE v % 400 = 0;

INSERT INTO statement
    SELECT v, 100, 5, format('DELETE FROM event WHERE session <= %d;', v - 600)
    FROM visit WHERE v IN (2000, 4200);

-- … and the release's new versions.
INSERT INTO statement
    SELECT v, 100, 6,
           format('UPDATE package SET version = version || %Q, size = size + %d '
                  || 'WHERE id BETWEEN %d AND %d;', '+b1', v, first, first + 24)
    FROM (SELECT v, 1 + CAST(u * (SELECT max(id) FROM package) AS INTEGER) AS first
          FROM visit JOIN draw ON draw.i = 100 * v + 99 WHERE phase = 3);

SELECT text FROM statement ORDER BY v, k, n;

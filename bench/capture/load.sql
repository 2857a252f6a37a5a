-- The database of the captured workload: what the web site of a package catalogue would keep,
-- filled with what this machine's apt and dpkg know. Reads packages.rows, dependencies.rows and
-- files.rows from the current directory (`run` puts them there).
--
-- Wide and mostly cold: package, dependency, file, and search, a text index over the packages.
-- Small and updated by every visit: popularity. Appended to, its index written all over: event.
.bail on
PRAGMA page_size = 4096;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;

CREATE TEMP TABLE package_row (name, version, section, priority, maintainer, architecture,
                               installed, size, homepage, filename, sha256, tags, summary);
CREATE TEMP TABLE dependency_row (name, kind, target);
CREATE TEMP TABLE file_row (package, path);
.import --ascii --schema temp packages.rows package_row
.import --ascii --schema temp dependencies.rows dependency_row
.import --ascii --schema temp files.rows file_row

BEGIN;

CREATE TABLE package (
    id           INTEGER PRIMARY KEY,
    name         TEXT NOT NULL,
    version      TEXT NOT NULL,
    section      TEXT NOT NULL,
    priority     TEXT NOT NULL,
    maintainer   TEXT NOT NULL,
    architecture TEXT NOT NULL,
    installed    INTEGER,
    size         INTEGER,
    homepage     TEXT,
    filename     TEXT,
    sha256       TEXT,
    tags         TEXT,
    summary      TEXT
);
-- A security update lists a package again; the catalogue keeps one row a name. Sorted, so that ids,
-- and with them the pages, don't depend on the order in which apt keeps its lists.
INSERT INTO package (name, version, section, priority, maintainer, architecture, installed, size,
                     homepage, filename, sha256, tags, summary)
    SELECT name, max(version), section, priority, maintainer, architecture, installed, size,
           homepage, filename, sha256, tags, summary
    FROM package_row GROUP BY name ORDER BY name;
CREATE UNIQUE INDEX package_by_name ON package (name);
CREATE INDEX package_by_section ON package (section, name);

CREATE TABLE dependency (
    package INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    target  TEXT NOT NULL,
    PRIMARY KEY (package, kind, target)
) WITHOUT ROWID;
INSERT OR IGNORE INTO dependency
    SELECT package.id, kind, target FROM dependency_row JOIN package USING (name)
    ORDER BY package.id, kind, target;
CREATE INDEX dependency_by_target ON dependency (target);

CREATE TABLE file (
    id      INTEGER PRIMARY KEY,
    package INTEGER NOT NULL,
    path    TEXT NOT NULL
);
INSERT INTO file (package, path)
    SELECT package.id, path FROM file_row JOIN package ON name = file_row.package
    ORDER BY package.id, path;
CREATE INDEX file_by_package ON file (package);
CREATE INDEX file_by_path ON file (path);

CREATE VIRTUAL TABLE search USING fts5 (name, summary, content = 'package', content_rowid = 'id');
INSERT INTO search (search) VALUES ('rebuild');

CREATE TABLE popularity (
    package INTEGER PRIMARY KEY,
    views   INTEGER NOT NULL
);
INSERT INTO popularity SELECT id, 0 FROM package;

CREATE TABLE event (
    id      INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    package INTEGER NOT NULL,
    what    TEXT NOT NULL
);
CREATE INDEX event_by_package ON event (package);

ANALYZE;
COMMIT;

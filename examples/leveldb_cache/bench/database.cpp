/* SPDX-License-Identifier: MIT */
/* The database: loaded once in the order of keys, compacted, and copied for each run. */
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <leveldb/db.h>
#include <leveldb/write_batch.h>
#include <unistd.h>

#include "bench.h"

namespace bench
{

namespace fs = std::filesystem;

namespace
{

/* Of the run that is under way. */
std::string copy;

/* Written last, so that half a database is none. */
constexpr const char *MARK = "genlru-leveldb-bench";

std::string description(const Options &options)
{
    return "entries " + std::to_string(options.entries) + ", format 1\n";
}

bool is_there(const std::string &folder, const Options &options)
{
    std::ifstream mark(folder + "/" + MARK);
    std::string line;

    return std::getline(mark, line) && line + "\n" == description(options);
}

uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void check(const leveldb::Status &status, const char *what)
{
    if (!status.ok())
        die(std::string(what) + ": " + status.ToString());
}

void load(leveldb::DB *db, uint64_t entries)
{
    enum { BATCH = 1000 };
    char key[KEY_BYTES], value[VALUE_BYTES];

    for (uint64_t i = 0; i < entries;) {
        leveldb::WriteBatch batch;

        for (unsigned k = 0; k < BATCH && i < entries; k++, i++) {
            make_key(i, key);
            make_value(i, value);
            batch.Put(leveldb::Slice(key, KEY_BYTES), leveldb::Slice(value, VALUE_BYTES));
        }
        check(db->Write(leveldb::WriteOptions(), &batch), "loading");
    }
}

} // namespace

void make_key(uint64_t number, char key[KEY_BYTES])
{
    for (int i = KEY_BYTES - 1; i >= 0; i--, number /= 10)
        key[i] = static_cast<char>('0' + number % 10);
}

void make_value(uint64_t number, char value[VALUE_BYTES])
{
    for (unsigned i = 0; i < VALUE_BYTES / 8; i++) {
        uint64_t word = i == 0 ? number : mix(number * 64 + i);

        std::memcpy(value + 8 * i, &word, 8);
    }
}

bool is_value_of(uint64_t number, const std::string &value)
{
    char expected[VALUE_BYTES];

    make_value(number, expected);
    return value.size() == VALUE_BYTES && std::memcmp(value.data(), expected, VALUE_BYTES) == 0;
}

std::string prepare_database(const Options &options)
{
    std::string folder = options.folder + "/genlru-leveldb-" + std::to_string(options.entries);
    leveldb::Options how;
    leveldb::DB *db;

    if (is_there(folder, options))
        return folder;
    remove_folder(folder);
    std::fprintf(stderr, "loading %llu entries into %s\n", static_cast<unsigned long long>(options.entries),
                 folder.c_str());
    how.create_if_missing = true;
    how.error_if_exists = true;
    how.compression = leveldb::kNoCompression;
    how.write_buffer_size = 32 << 20;
    how.max_file_size = 32 << 20;
    check(leveldb::DB::Open(how, folder, &db), "opening");
    load(db, options.entries);
    db->CompactRange(nullptr, nullptr);
    delete db;
    std::ofstream(folder + "/" + MARK) << description(options);
    if (!is_there(folder, options))
        die("cannot write to " + folder);
    return folder;
}

std::string copy_database(const std::string &from, const Options &options)
{
    std::string to = options.folder + "/genlru-leveldb-run-" + std::to_string(getpid());
    std::error_code error;

    remove_folder(to);
    copy = to;
    fs::create_directory(to, error);
    for (const auto &file : fs::directory_iterator(from)) {
        fs::path target = fs::path(to) / file.path().filename();

        if (error)
            break;
        if (file.path().extension() == ".ldb")
            fs::create_hard_link(file.path(), target, error);
        else
            fs::copy_file(file.path(), target, error);
    }
    if (error)
        die("copying " + from + " to " + to + ": " + error.message());
    return to;
}

void remove_copy()
{
    if (!copy.empty())
        remove_folder(copy);
    copy.clear();
}

void remove_folder(const std::string &folder)
{
    std::error_code error;

    fs::remove_all(folder, error);
}

} // namespace bench

/* SPDX-License-Identifier: MIT */
/*
 * read_records.c - binary traces of fixed-size records: CloudPhysics vscsi, libCacheSim's
 * oracleGeneral; little endian, whatever this machine is
 *
 *      vscsi 1         u32 serial, u32 bytes, u32 segments, u16 command, u16 version, u64 sector,
 *      (32 bytes)      u64 time
 *      vscsi 2         u16 command, u16 version, u32 serial, u32 bytes, u32 segments, u64 sector,
 *      (40 bytes)      u64 time, u64 response time
 *      oracleGeneral   u32 time, u64 object, u32 bytes, i64 number of the object's next request
 *      (24 bytes)      (-1 = none)
 *
 * The version of vscsi is in the upper byte of its field.
 */
#include <errno.h>

#include "trace/reader.h"

#define VSCSI1_BYTES 32
#define VSCSI2_BYTES 40
#define SECTOR_BYTES 512
#define ORACLE_BYTES 24

/* ---- vscsi ---- */

/* READ and WRITE of 6, 10, 12 and 16 bytes; anything else asks for no block. */
static int scsi_channel(unsigned command, enum policy_channel *ret)
{
    switch (command) {
    case 0x08:
    case 0x28:
    case 0xa8:
    case 0x88:
        *ret = POLICY_READ;
        return 0;
    case 0x0a:
    case 0x2a:
    case 0xaa:
    case 0x8a:
        *ret = POLICY_WRITE;
        return 0;
    default:
        return -EINVAL;
    }
}

static int vscsi_access(struct reading *r, unsigned command, uint32_t bytes, uint64_t sector, const char **ret_reason)
{
    enum policy_channel channel;

    if (scsi_channel(command, &channel)) {
        sink_skip(r->sink);
        return 0;
    }
    if (sector > UINT64_MAX / SECTOR_BYTES) {
        *ret_reason = "the sector lies beyond 2^64 bytes";
        return -EINVAL;
    }
    return reader_extent(r, 0, sector * SECTOR_BYTES, bytes, channel, ret_reason);
}

static int vscsi1_record(struct reading *r, const unsigned char *p, const char **ret_reason)
{
    if (p[15] != 1) {
        *ret_reason = "the record is not of version 1, as those before it";
        return -EINVAL;
    }
    return vscsi_access(r, load_le16(p + 12), load_le32(p + 4), load_le64(p + 16), ret_reason);
}

static int vscsi2_record(struct reading *r, const unsigned char *p, const char **ret_reason)
{
    if (p[3] != 2) {
        *ret_reason = "the record is not of version 2, as those before it";
        return -EINVAL;
    }
    return vscsi_access(r, load_le16(p), load_le32(p + 8), load_le64(p + 16), ret_reason);
}

/* 1 or 2 if all records in sight say so (at most 8 are looked at); 0 if not. */
static int vscsi_version(const unsigned char *p, size_t n)
{
    for (int version = 1; version <= 2; version++) {
        size_t bytes = version == 1 ? VSCSI1_BYTES : VSCSI2_BYTES;
        size_t at = version == 1 ? 15 : 3;
        size_t seen = 0;

        while (seen < 8 && (seen + 1) * bytes <= n && p[seen * bytes + at] == version) {
            seen++;
        }
        if (seen && (seen == 8 || (seen + 1) * bytes > n)) {
            return version;
        }
    }
    return 0;
}

static bool vscsi_claims(const struct head *head)
{
    return vscsi_version(head->bytes, head->nr) != 0;
}

static int vscsi_read(struct reading *r)
{
    struct head head;

    reader_head(r->in, &head);
    switch (vscsi_version(head.bytes, head.nr)) {
    case 1:
        return reader_records(r, VSCSI1_BYTES, vscsi1_record);
    case 2:
        return reader_records(r, VSCSI2_BYTES, vscsi2_record);
    default:
        if (head.nr == 0) { /* empty, or unreadable: the read says which */
            return reader_records(r, VSCSI1_BYTES, vscsi1_record);
        }
        return reader_fail_at(r, 0, -EINVAL, "no vscsi record of version 1 or 2");
    }
}

const struct reader reader_vscsi = {
    .name = "vscsi",
    .what = "CloudPhysics vscsi, versions 1 and 2; blocks of 4096 bytes",
    .extensions = " .vscsi .vscsitrace ",
    .has_sizes = true,
    .takes_block = true,
    .claims = vscsi_claims,
    .read = vscsi_read,
};

/* ---- oracleGeneral ---- */

static int oracle_record(struct reading *r, const unsigned char *p, const char **ret_reason)
{
    if ((int64_t)load_le64(p + 16) < -1) {
        *ret_reason = "the number of the next request is below -1";
        return -EINVAL;
    }
    return sink_number(r->sink, load_le64(p + 4), load_le32(p + 12), POLICY_READ);
}

/*
 * Whether bytes that claim nothing look like it: times do not fall, and every next request is none
 * or a later one, at a number no trace exceeds. Text never does.
 */
static bool oracle_claims(const struct head *head)
{
    uint32_t time = 0;
    size_t n = head->nr / ORACLE_BYTES;

    if (n == 0 || (head->is_all && head->nr % ORACLE_BYTES)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const unsigned char *p = head->bytes + i * ORACLE_BYTES;
        int64_t next = (int64_t)load_le64(p + 16);

        if (load_le32(p) < time || next < -1 || next > INT64_C(1) << 40 || (next >= 0 && (uint64_t)next < i)) {
            return false;
        }
        time = load_le32(p);
    }
    return true;
}

static int oracle_read(struct reading *r)
{
    return reader_records(r, ORACLE_BYTES, oracle_record);
}

const struct reader reader_oracle_general = {
    .name = "oracle-general",
    .what = "libCacheSim's oracleGeneral, binary",
    .extensions = " .oracleGeneral .oracleGeneral.bin ",
    .has_sizes = true,
    .claims = oracle_claims,
    .read = oracle_read,
};

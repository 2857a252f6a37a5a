/* SPDX-License-Identifier: MIT */
/*
 * Configuration of an lru and of the pool that its lists take their blocks from; fields left zero by the INIT macros
 * mean the default.
 *
 * Structs that begin with their size grow at the end only, and program and library may be of different versions. What the
 * library reads (config, policy): fields beyond a smaller size are defaults, fields that it does not know must be 0.
 * What it fills in (statistics): only so much as the size says; what it does not know is set to 0. A size that is 0, no
 * multiple of a word, or above 4096 is refused with -EINVAL. Structs without a size (genlru_add, genlru_budget,
 * genlru_evict_result, genlru_victim, genlru_shadow_info, genlru_harvest, genlru_gen_stat) do not grow before the soname
 * changes.
 */
#ifndef GENLRU_CONFIG_H
#define GENLRU_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "policy.h"

#ifdef __cplusplus
extern "C" {
#endif

struct genlru_node;
struct genlru_nonresident;
struct genlru_pool;

/* "No limit", as opposed to a capacity of 0, which means: keep nothing. */
#define GENLRU_NO_LIMIT UINT64_MAX

/*
 * Memory of the library's own structures (never of nodes). alloc returns `size` bytes aligned to `align` (a power of
 * two, at most 2 MiB) or NULL; free gets the same size and align back. Called with no lock of the library held. Must be
 * safe for the threads that use the lrus.
 */
struct genlru_allocator {
    void *(*alloc)(void *ctx, size_t size, size_t align);
    void (*free)(void *ctx, void *memory, size_t size, size_t align);
    void *ctx;
};

/*
 * Pool of the 512-byte slot blocks (256 on 32-bit) that generations are lists of. One pool may serve any
 * number of lrus; it must outlive them. Blocks keep their addresses while the pool lives.
 */
struct genlru_pool_stat {
    size_t size;            /* set by the caller */
    uint64_t blocks;        /* in existence */
    uint64_t free_blocks;   /* of these, not on any lru */
    uint64_t block_bytes;   /* of one */
    uint64_t slabs;         /* allocations they came in */
    uint64_t trimmed_bytes; /* given back to the system, addresses kept */
};
/*
 * Returns 0, -ENOMEM, or -EINVAL (an allocator with one function of the two). allocator NULL = the C library's (slabs
 * by mmap, so that trim can give memory back).
 */
GENLRU_API int genlru_pool_create(const struct genlru_allocator *allocator, struct genlru_pool **ret_pool);
/* -EBUSY if an lru still uses the pool, else 0. */
GENLRU_API int genlru_pool_destroy(struct genlru_pool *pool);
/*
 * Gives memory of wholly free slabs back to the system; bytes given back. With an allocator of the owner's: 0,
 * since slabs must keep their addresses. Any thread; O(free blocks).
 */
GENLRU_API uint64_t genlru_pool_trim(struct genlru_pool *pool);
GENLRU_API int genlru_pool_stat(const struct genlru_pool *pool, struct genlru_pool_stat *ret_stat);

/* What the error hook is told. The library goes on after each of them. */
enum genlru_error {
    GENLRU_ERROR_INCONSISTENT = 1, /* a counter disagrees with its list (a defect, or memory overwritten) */
    GENLRU_ERROR_MISUSE = 2        /* a call was refused because its node is in the wrong state */
};

struct genlru_config {
    size_t size;                        /* sizeof(struct genlru_config) of the header compiled with */
    const struct genlru_policy *policy; /* copied; NULL = GENLRU_POLICY_DEFAULT */
    /*
     * In charge; what shares in the policy refer to, aging by volume among them: without a capacity the default
     * policy does not age by volume and shadows' clock counts in steps of 256. Not enforced: the owner evicts.
     */
    uint64_t capacity;
    uint32_t nr_gens;  /* 3..64; 0 = 4 */
    uint32_t nr_types; /* 1..4; 0 = 1 */
    uint32_t stripes;  /* threads that add side by side, 1..8; 0 = min(cpus, 8), 1 if capacity < 4096 */
    uint8_t type_weight[GENLRU_MAX_TYPES];    /* cost of a refault of each type, 1..200; 0 = 100 */
    const struct genlru_allocator *allocator; /* copied; NULL = the C library's */
    struct genlru_pool *pool;                 /* shared block pool; NULL = one of its own */
    uint64_t (*now_ns)(void *clock_ctx);      /* monotonic clock for deadlines and ages; NULL = CLOCK_MONOTONIC */
    void *clock_ctx;
    /* Called without locks; `node` may be NULL. */
    void (*on_error)(void *error_ctx, enum genlru_error error, const char *what, const struct genlru_node *node);
    void *error_ctx;
    struct genlru_nonresident *nonresident; /* keeps victims' shadows and looks them up at add; NULL = the owner does */
    /*
     * Hash of the node's key, for `nonresident` and for learning. Called without locks: for victims if there is a table; if the
     * policy learns, for hits of sampled nodes, and by an add that brings no hash. It must be that which adds bring.
     */
    uint64_t (*hash_of)(void *hash_ctx, const struct genlru_node *node);
    void *hash_ctx;
    /* For a policy that learns. */
    uint64_t sample_seed; /* decides which keys are sampled */
    uint64_t entries;     /* nodes that fill the capacity, about; 0 = as many as the capacity says: each weighs 1 */
};

/* A config with every default: no limit, 4 generations, 1 type. */
#define GENLRU_CONFIG_INIT                                                                                        \
    {                                                                                                             \
        sizeof(struct genlru_config), NULL, GENLRU_NO_LIMIT, 0, 0, 0, {0, 0, 0, 0}, NULL, NULL, NULL, NULL, NULL, \
            NULL, NULL, NULL, NULL, 0, 0                                                                          \
    }

#ifdef __cplusplus
}
#endif
#endif

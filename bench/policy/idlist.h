/* SPDX-License-Identifier: MIT */
/*
 * idlist.h - doubly linked lists of dense ids in one array
 *
 *      link[0 … nr_ids-1]              one pair {prev, next} for each id
 *      link[nr_ids + k]                head of list k: a ring, next = head (youngest), prev = tail
 *
 *      head ⇄ youngest ⇄ … ⇄ oldest ⇄ head
 *
 * An id is on at most one list at a time. Whoever needs "on no list" without a second array marks
 * it with id_list_mark_off. 8 bytes an id; all operations O(1) and without branches.
 */
#ifndef GENLRU_BENCH_POLICY_IDLIST_H
#define GENLRU_BENCH_POLICY_IDLIST_H

#include <stdbool.h>
#include <stdint.h>

#define ID_NONE UINT32_MAX

struct id_link {
    uint32_t prev; /* towards the youngest; the head's prev is the oldest */
    uint32_t next;
};

static inline void id_list_init(struct id_link *link, uint32_t head)
{
    link[head].prev = head;
    link[head].next = head;
}

static inline bool id_list_is_empty(const struct id_link *link, uint32_t head)
{
    return link[head].next == head;
}

static inline uint32_t id_list_tail(const struct id_link *link, uint32_t head)
{
    return link[head].prev;
}

static inline void id_list_add(struct id_link *link, uint32_t head, uint32_t id)
{
    uint32_t first = link[head].next;

    link[id].prev = head;
    link[id].next = first;
    link[first].prev = id;
    link[head].next = id;
}

static inline void id_list_del(struct id_link *link, uint32_t id)
{
    uint32_t prev = link[id].prev;
    uint32_t next = link[id].next;

    link[prev].next = next;
    link[next].prev = prev;
}

static inline void id_list_mark_off(struct id_link *link, uint32_t id)
{
    link[id].next = ID_NONE;
}

static inline bool id_list_is_off(const struct id_link *link, uint32_t id)
{
    return link[id].next == ID_NONE;
}

#endif

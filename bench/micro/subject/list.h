/* SPDX-License-Identifier: MIT */
/*
 * list.h - the linked peers' list: circular, intrusive, without a branch
 *
 *      list.head ⇄ youngest ⇄ … ⇄ oldest ⇄ list.head
 */
#ifndef GENLRU_BENCH_MICRO_SUBJECT_LIST_H
#define GENLRU_BENCH_MICRO_SUBJECT_LIST_H

#include <stdbool.h>

#include "micro/objects.h"

struct list {
    struct link head;
    size_t nr;
};

static inline void list_init(struct list *list)
{
    list->head.prev = list->head.next = &list->head;
    list->nr = 0;
}

static inline struct object *list_object(struct link *link)
{
    return GENLRU_ENTRY(link, struct object, link);
}

static inline bool list_has(const struct object *object)
{
    return object->link.next != NULL;
}

static inline void list_push(struct list *list, struct object *object)
{
    struct link *link = &object->link, *next = list->head.next;

    link->prev = &list->head;
    link->next = next;
    next->prev = link;
    list->head.next = link;
    list->nr++;
}

static inline void list_unlink(struct list *list, struct object *object)
{
    struct link *link = &object->link;

    link->prev->next = link->next;
    link->next->prev = link->prev;
    list->nr--;
}

static inline void list_remove(struct list *list, struct object *object)
{
    list_unlink(list, object);
    object->link.next = NULL;
}

static inline void list_to_front(struct list *list, struct object *object)
{
    list_unlink(list, object);
    list_push(list, object);
}

/* The oldest, still linked, with the one before it on its way into the cache; NULL = empty. */
static inline struct object *list_last(struct list *list)
{
    struct link *link = list->head.prev;

    if (link == &list->head) {
        return NULL;
    }
    __builtin_prefetch(link->prev, 1);
    return list_object(link);
}

#endif

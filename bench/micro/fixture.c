/* SPDX-License-Identifier: MIT */
/* Filled subjects, one for each field of the objects: see fixture.h. */
#include "micro/fixture.h"

#include <stdbool.h>
#include <stdlib.h>

enum { CHUNK = 1024, HITS_MAX = 64 };

static struct {
    const struct subject_ops *ops; /* NULL = nothing there */
    struct subject *subject;
    size_t nr;
    enum fixture_state state;
    bool is_spoilt;
} filled[SUBJECT_NR_FIELDS];

static unsigned long nr_made;

/* The order of filling is the same for all of a size. */
static const uint32_t *filling_order(size_t nr)
{
    static uint32_t *order;
    static size_t order_nr;

    if (!order || order_nr != nr) {
        free(order);
        order = objects_order(nr, 1);
        order_nr = nr;
    }
    return order;
}

static void clear(enum subject_field field)
{
    if (filled[field].ops) {
        filled[field].ops->destroy(filled[field].subject);
        filled[field].ops = NULL;
    }
}

/* By address, and each several times in a row: this is not measured. */
static void hit_all(const struct subject_ops *ops, struct subject *subject, struct object *objects, size_t nr,
                    unsigned times)
{
    uint32_t same[HITS_MAX];

    for (size_t i = 0; i < nr; i++) {
        for (unsigned k = 0; k < times; k++) {
            same[k] = (uint32_t)i;
        }
        ops->hit(subject, objects, same, times);
    }
}

static void hit_half(const struct subject_ops *ops, struct subject *subject, struct object *objects, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        uint32_t same[HITS_MAX];

        for (unsigned k = 0; k < ops->promoting_hits; k++) {
            same[k] = (uint32_t)i;
        }
        if ((i * 0x9e3779b97f4a7c15u) >> 63) { /* a bit of a hash: as good as at random */
            ops->hit(subject, objects, same, ops->promoting_hits);
        }
    }
}

static int bring_to(const struct subject_ops *ops, struct subject *subject, size_t nr, enum fixture_state state)
{
    struct object *objects = objects_get(nr);
    const uint32_t *order = objects ? filling_order(nr) : NULL;
    int error = 0;

    if (!order) {
        return -1;
    }
    for (size_t i = 0; i < nr && state != FIXTURE_EMPTY && !error; i += CHUNK) {
        error = ops->add(subject, objects, order + i, nr - i < CHUNK ? nr - i : CHUNK);
    }
    if (error) {
        return error;
    }
    if (state == FIXTURE_HALF_USED) {
        hit_half(ops, subject, objects, nr);
    }
    if (state == FIXTURE_SATURATED || (state == FIXTURE_RISING && ops->forget)) {
        hit_all(ops, subject, objects, nr, ops->saturating_hits);
    }
    if (state == FIXTURE_RISING && ops->forget) {
        ops->forget(subject, objects, nr);
    }
    return 0;
}

struct subject *fixture_get(const struct subject_ops *ops, size_t nr, enum fixture_state state)
{
    enum subject_field field = ops->field;

    if (filled[field].ops == ops && filled[field].nr == nr && filled[field].state == state &&
        !filled[field].is_spoilt) {
        if (state == FIXTURE_RISING && ops->forget) {
            ops->forget(filled[field].subject, objects_get(nr), nr);
        }
        return filled[field].subject;
    }
    clear(field);
    filled[field].subject = ops->create(nr);
    if (!filled[field].subject) {
        return NULL;
    }
    nr_made++;
    filled[field].ops = ops;
    filled[field].nr = nr;
    filled[field].state = state;
    filled[field].is_spoilt = false;
    if (bring_to(ops, filled[field].subject, nr, state) != 0) {
        clear(field);
        return NULL;
    }
    return filled[field].subject;
}

struct subject *fixture_warm(const struct subject_ops *ops, size_t nr, const struct stream *stream)
{
    unsigned long before = nr_made;
    struct subject *subject = fixture_get(ops, nr, FIXTURE_WARMED);

    if (subject && nr_made != before) {
        ops->hit(subject, objects_get(nr), stream->ids, stream->nr);
    }
    return subject;
}

void fixture_spoil(const struct subject_ops *ops)
{
    if (filled[ops->field].ops == ops) {
        filled[ops->field].is_spoilt = true;
    }
}

void fixture_clear(void)
{
    for (unsigned field = 0; field < SUBJECT_NR_FIELDS; field++) {
        clear((enum subject_field)field);
    }
}

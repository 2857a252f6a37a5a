/* SPDX-License-Identifier: MIT */
/* Slabs and handles: see heap.h. */
#include "heap.h"

#include <errno.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif

#ifdef HAS_ASAN
void __asan_poison_memory_region(void const volatile *address, size_t size);
void __asan_unpoison_memory_region(void const volatile *address, size_t size);
#define POISON(address, size) __asan_poison_memory_region(address, size)
#define UNPOISON(address, size) __asan_unpoison_memory_region(address, size)
#else
#define POISON(address, size) ((void)(address), (void)(size))
#define UNPOISON(address, size) ((void)(address), (void)(size))
#endif

enum {
    FIRST_TABLE = 16,
    SMALLEST_SLAB_SHIFT = 14, /* a cache of ten entries is a few pages */
    HOT_BYTES = 24,           /* what a look-up reads of an entry: key, pins, expiry, word */
    LINK_BYTES = 8,
    FIRST_OFFSET = 64, /* of objects: the slab's number stands before; so no handle is 0 */
    KEEP_EMPTY = 2     /* slabs that stay ready; the memory of others goes back */
};

void genlru__poison(void *object, size_t bytes)
{
    POISON((char *)object + LINK_BYTES, bytes - LINK_BYTES);
}

void genlru__unpoison(void *object, size_t bytes)
{
    UNPOISON(object, bytes);
}

static size_t class_bytes(unsigned class_)
{
    return GENLRU__OBJECT_MIN + 8u * class_;
}

/* Offset at which the next object is carved. */
static uint32_t place(const struct genlru__heap *heap, unsigned class_, uint32_t offset)
{
    return heap->is_aligned[class_] && offset % 64 > 64 - HOT_BYTES ? (offset + 63) & ~UINT32_C(63) : offset;
}

/* Whether keeping hot bytes on one line costs less than a twelfth. */
static bool is_worth_aligning(struct genlru__heap *heap, unsigned class_)
{
    enum { OBJECTS = 64 };
    uint32_t offset = 0;
    unsigned i;

    heap->is_aligned[class_] = 1;
    for (i = 0; i < OBJECTS; i++)
        offset = place(heap, class_, offset) + (uint32_t)class_bytes(class_);
    return offset <= OBJECTS * class_bytes(class_) * 13 / 12;
}

static size_t slab_bytes_of(uint32_t number)
{
    uint32_t shift = SMALLEST_SLAB_SHIFT + number;

    return (size_t)1 << (shift < GENLRU__SLAB_SHIFT ? shift : GENLRU__SLAB_SHIFT);
}

int genlru__heap_init(struct genlru__heap *heap, struct genlru__memory *memory)
{
    unsigned class_;
    int error;

    memset(heap, 0, sizeof(*heap));
    heap->memory = memory;
    for (class_ = 0; class_ < GENLRU__NR_CLASSES; class_++)
        heap->is_aligned[class_] = is_worth_aligning(heap, class_);
    error = genlru__table_init(&heap->slab, memory, FIRST_TABLE);
    if (error)
        return error;
    heap->info = genlru__memory_get_zeroed(memory, FIRST_TABLE * sizeof(*heap->info), 64);
    heap->info_size = FIRST_TABLE;
    if (!heap->info || pthread_mutex_init(&heap->mutex, NULL) != 0) {
        genlru__memory_put(memory, heap->info, FIRST_TABLE * sizeof(*heap->info), 64);
        heap->info = NULL;
        genlru__table_fini(&heap->slab, heap->memory);
        return -ENOMEM;
    }
    return 0;
}

void genlru__heap_fini(struct genlru__heap *heap)
{
    uint32_t i;

    for (i = 0; i < heap->nr_slabs; i++) {
        if (!heap->slab.at[i])
            continue;
        UNPOISON(heap->slab.at[i], heap->info[i].bytes);
        genlru__memory_put(heap->memory, heap->slab.at[i], heap->info[i].bytes, GENLRU__HUGE);
    }
    genlru__memory_put(heap->memory, heap->info, heap->info_size * sizeof(*heap->info), 64);
    genlru__table_fini(&heap->slab, heap->memory);
    pthread_mutex_destroy(&heap->mutex);
}

/* ---- lists of slabs, under the mutex ---- */

static void list_add(struct genlru__heap *heap, uint32_t *list, uint32_t slab)
{
    struct genlru__slab *info = &heap->info[slab];

    info->prev = 0;
    info->next = *list;
    if (*list)
        heap->info[*list - 1].prev = slab + 1;
    *list = slab + 1;
    info->is_listed = true;
}

static void list_del(struct genlru__heap *heap, uint32_t *list, uint32_t slab)
{
    struct genlru__slab *info = &heap->info[slab];

    if (info->prev)
        heap->info[info->prev - 1].next = info->next;
    else
        *list = info->next;
    if (info->next)
        heap->info[info->next - 1].prev = info->prev;
    info->is_listed = false;
}

/* ---- new slabs ---- */

/* What a slab needs, got without the lock. */
struct provision {
    void *memory;
    size_t bytes;
    uint32_t number; /* it was sized for this one */
    void **table;
    struct genlru__slab *info;
    uint32_t size;
};

static bool is_full(const struct genlru__heap *heap)
{
    return !heap->hollow && heap->nr_slabs >= UINT32_C(1) << (32 - GENLRU__HANDLE_SHIFT);
}

/* Number of the next slab that gets memory: one whose memory went back, or a new one. */
static uint32_t next_number(const struct genlru__heap *heap)
{
    return heap->hollow ? heap->hollow - 1 : heap->nr_slabs;
}

static void provide(struct genlru__heap *heap, struct provision *p)
{
    p->bytes = slab_bytes_of(p->number);
    p->memory = genlru__memory_get(heap->memory, p->bytes, GENLRU__HUGE);
    if (!p->size)
        return;
    p->table = genlru__table_prepare(heap->memory, p->size);
    p->info = genlru__memory_get_zeroed(heap->memory, p->size * sizeof(*p->info), 64);
}

static void give_back(struct genlru__heap *heap, struct provision *p)
{
    genlru__memory_put(heap->memory, p->memory, p->bytes, GENLRU__HUGE);
    genlru__memory_put(heap->memory, p->info, p->size * sizeof(*p->info), 64);
    genlru__table_discard(p->table, heap->memory);
}

/* Under the mutex. False: others were faster, or there is no memory; nothing was taken. */
static bool install(struct genlru__heap *heap, struct provision *p)
{
    struct genlru__slab *info;

    if (p->table && p->info && genlru__table_replace(&heap->slab, p->table, p->size)) {
        struct genlru__slab *old = heap->info;
        uint32_t old_size = heap->info_size;

        p->table = NULL;
        memcpy(p->info, old, old_size * sizeof(*old));
        heap->info = p->info;
        heap->info_size = p->size;
        p->info = old; /* given back in place of the new one */
        p->size = old_size;
    }
    if (!p->memory || p->number != next_number(heap) || p->number >= heap->info_size)
        return false;
    if (heap->hollow)
        list_del(heap, &heap->hollow, p->number);
    else
        heap->nr_slabs++;
    info = &heap->info[p->number];
    memset(info, 0, sizeof(*info));
    info->bytes = (uint32_t)p->bytes;
    *(uint32_t *)p->memory = p->number;
    genlru_impl_ptr_store_relaxed(&heap->slab.at[p->number], p->memory); /* hints are read without the lock */
    heap->slab_bytes += p->bytes;
    list_add(heap, &heap->empty, p->number);
    heap->nr_empty++;
    p->memory = NULL;
    return true;
}

/* The mutex is held before and after, not between. False: no memory. */
static bool add_slab(struct genlru__heap *heap)
{
    struct provision p = {NULL, 0, next_number(heap), NULL, NULL, 0};
    bool has_memory;

    if (is_full(heap))
        return false;
    p.size = p.number == heap->info_size ? 2 * heap->info_size : 0;
    pthread_mutex_unlock(&heap->mutex);
    provide(heap, &p);
    has_memory = p.memory && (!p.size || (p.table && p.info));
    pthread_mutex_lock(&heap->mutex);
    (void)install(heap, &p);
    pthread_mutex_unlock(&heap->mutex);
    give_back(heap, &p);
    pthread_mutex_lock(&heap->mutex);
    return has_memory;
}

/* ---- objects ---- */

static uint32_t handle_of(uint32_t slab, uint32_t offset)
{
    return slab << GENLRU__HANDLE_SHIFT | offset >> GENLRU__UNIT_SHIFT;
}

/* One object of a slab, 0 if it has no room. */
static uint32_t carve(struct genlru__heap *heap, uint32_t slab)
{
    struct genlru__slab *info = &heap->info[slab];
    uint32_t bytes = (uint32_t)class_bytes(info->class_), offset, handle;

    if (info->free) {
        handle = info->free;
        info->free = *(uint32_t *)genlru__heap_at(heap, handle);
        info->nr_free--;
    } else {
        offset = place(heap, info->class_, info->bump);
        if (offset + bytes > info->bytes)
            return 0;
        info->bump = offset + bytes;
        handle = handle_of(slab, offset);
    }
    info->nr_used++;
    return handle;
}

/* A slab that has room for the class, number + 1; 0 = there is none, and no empty one. */
static uint32_t slab_with_room(struct genlru__heap *heap, unsigned class_)
{
    uint32_t slab;

    if (heap->partial[class_])
        return heap->partial[class_];
    if (!heap->empty)
        return 0;
    slab = heap->empty - 1;
    list_del(heap, &heap->empty, slab);
    heap->nr_empty--;
    heap->info[slab].class_ = (uint16_t)class_;
    heap->info[slab].free = heap->info[slab].nr_free = heap->info[slab].nr_used = 0;
    heap->info[slab].bump = FIRST_OFFSET;
    list_add(heap, &heap->partial[class_], slab);
    return slab + 1;
}

unsigned genlru__magazine_fill(unsigned class_)
{
    return class_bytes(class_) <= 128 ? 32 : 8;
}

unsigned genlru__magazine_max(unsigned class_)
{
    return class_bytes(class_) <= 64 ? 2048 : class_bytes(class_) <= 128 ? 256 : 16;
}

uint32_t genlru__heap_take(struct genlru__heap *heap, unsigned class_, uint32_t *ret_first)
{
    uint32_t slab, handle, nr = 0, last = 0;
    bool has_memory = true;

    pthread_mutex_lock(&heap->mutex);
    while (nr < genlru__magazine_fill(class_)) {
        slab = slab_with_room(heap, class_);
        if (!slab) {
            if (nr || !has_memory)
                break;
            has_memory = add_slab(heap);
            continue;
        }
        handle = carve(heap, slab - 1);
        if (!handle) {
            list_del(heap, &heap->partial[class_], slab - 1);
            continue;
        }
        *(uint32_t *)genlru__heap_at(heap, handle) = 0;
        genlru__poison(genlru__heap_at(heap, handle), class_bytes(class_));
        if (last)
            *(uint32_t *)genlru__heap_at(heap, last) = handle;
        else
            *ret_first = handle;
        last = handle;
        nr++;
    }
    pthread_mutex_unlock(&heap->mutex);
    return nr;
}

/* Under the mutex; the slab has no object in use. Its memory is the caller's to give back, if it says so. */
static void retire_slab(struct genlru__heap *heap, uint32_t slab)
{
    if (heap->info[slab].is_listed)
        list_del(heap, &heap->partial[heap->info[slab].class_], slab);
    UNPOISON(heap->slab.at[slab], heap->info[slab].bytes);
    list_add(heap, &heap->empty, slab);
    heap->nr_empty++;
}

static void put_one(struct genlru__heap *heap, uint32_t handle)
{
    uint32_t slab = handle >> GENLRU__HANDLE_SHIFT;
    struct genlru__slab *info = &heap->info[slab];

    *(uint32_t *)genlru__heap_at(heap, handle) = info->free;
    info->free = handle;
    info->nr_free++;
    info->nr_used--;
    if (info->nr_used == 0)
        retire_slab(heap, slab);
    else if (!info->is_listed)
        list_add(heap, &heap->partial[info->class_], slab);
}

/* Under the mutex: takes the memory of an empty slab out, if there are many; the number stays. */
static void *hollow_out(struct genlru__heap *heap, size_t *ret_bytes)
{
    uint32_t slab = heap->empty - 1;
    void *memory;

    if (heap->nr_empty <= KEEP_EMPTY)
        return NULL;
    list_del(heap, &heap->empty, slab);
    heap->nr_empty--;
    memory = heap->slab.at[slab];
    genlru_impl_ptr_store_relaxed(&heap->slab.at[slab], NULL);
    *ret_bytes = heap->info[slab].bytes;
    heap->slab_bytes -= *ret_bytes;
    list_add(heap, &heap->hollow, slab);
    return memory;
}

void genlru__heap_take_back(struct genlru__heap *heap, uint32_t first)
{
    uint32_t next;
    size_t bytes = 0;
    void *memory;

    pthread_mutex_lock(&heap->mutex);
    for (; first; first = next) {
        next = *(uint32_t *)genlru__heap_at(heap, first);
        put_one(heap, first);
    }
    memory = hollow_out(heap, &bytes);
    pthread_mutex_unlock(&heap->mutex);
    genlru__memory_put(heap->memory, memory, bytes, GENLRU__HUGE);
}

uint32_t genlru__magazine_pop(struct genlru__heap *heap, struct genlru__magazine *magazine, unsigned class_)
{
    uint32_t handle = magazine->free;
    void *object;

    if (!handle)
        return 0;
    object = genlru__heap_at(heap, handle);
    magazine->free = *(uint32_t *)object;
    magazine->nr--;
    if (magazine->free)
        __builtin_prefetch(genlru__heap_at(heap, magazine->free), 1);
    genlru__unpoison(object, class_bytes(class_));
    return handle;
}

bool genlru__magazine_push(struct genlru__heap *heap, struct genlru__magazine *magazine, unsigned class_,
                           uint32_t handle)
{
    void *object = genlru__heap_at(heap, handle);

    *(uint32_t *)object = magazine->free;
    magazine->free = handle;
    genlru__poison(object, class_bytes(class_));
    return ++magazine->nr > genlru__magazine_max(class_);
}

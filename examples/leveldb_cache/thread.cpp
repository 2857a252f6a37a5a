/* SPDX-License-Identifier: MIT */
/*
 * A thread is registered by its first call and unregistered by the destructor of a pthread key. C++'s own thread_local
 * destructors run before those, in an order that nobody knows, and some of them may still use the cache; one that comes even
 * later registers the thread again, and pthreads then run the key's destructor once more.
 */
#include "thread.h"

#include <cstdio>
#include <cstdlib>

#include <genlru/cache.h>
#include <pthread.h>

namespace genlru_leveldb
{

thread_local bool thread_is_known;

namespace
{

void forget_this_thread(void *)
{
    thread_is_known = false;
    genlru_cache_unregister_thread();
}

pthread_key_t make_key()
{
    pthread_key_t key;

    if (pthread_key_create(&key, forget_this_thread) != 0) {
        /* An unregistered thread's reads would not be seen, and what it reads would be freed. */
        std::fputs("genlru-leveldb: no pthread key is left\n", stderr);
        std::abort();
    }
    return key;
}

} // namespace

void register_this_thread()
{
    static const pthread_key_t key = make_key();

    if (pthread_setspecific(key, &thread_is_known) != 0) {
        std::fputs("genlru-leveldb: no memory to register a thread\n", stderr);
        std::abort();
    }
    genlru_cache_register_thread();
    thread_is_known = true;
}

} // namespace genlru_leveldb

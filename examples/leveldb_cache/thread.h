/* SPDX-License-Identifier: MIT */
/* Threads of others, made known to liburcu by their first call and forgotten when they end. */
#ifndef GENLRU_LEVELDB_THREAD_H
#define GENLRU_LEVELDB_THREAD_H

namespace genlru_leveldb
{

extern thread_local bool thread_is_known;

/* Out of line, for the first call of a thread. */
void register_this_thread();

inline void know_this_thread()
{
    if (!thread_is_known)
        register_this_thread();
}

} // namespace genlru_leveldb

#endif

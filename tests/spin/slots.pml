/* SPDX-License-Identifier: MIT */
/*
 * Slots, words and the lru's lock: who may take a node, who frees it. Follows the code step by step; each shared access is a
 * step of its own, a compare-and-swap or an exchange is an atomic block. Interleavings only: memory order is the business
 * of docs/memory-model.md and TSan.
 *
 *   adder     genlru_add (pinned; genlru__stripe_slot, genlru__publish), the index, genlru_unpin; malloc of the same address again
 *   deleter   the index, genlru_del (genlru__take_own, finish, hand_over_to_evictor)
 *   evictor   genlru__flush (hand_over), genlru__scan_list (genlru__take, dispose: isolate, park, move, keep, rescue),
 *             then the owner: index won -> free, else genlru_release; or genlru_putback
 *   holder    genlru_pin of a node found in the index, genlru_unpin (unpin_parked, relist)
 *   compactor merge of genlru__compact_some: a node moves to a hole of its own chain
 *
 * A block is one slot here; NS of them are all the memory there is, so every branch without a block is explored. A CAS loop that
 * re-reads until it succeeds is one atomic step on the newest value where nothing is decided between its read and its swap.
 *
 *   BUG 1  del empties the slot without comparing       BUG 2  the scan reads the node before it took the slot
 *   BUG 3  publish: slot before back pointer            BUG 4  a deleter that lost the slot does not take the lock
 *   BUG 5  not pinned between add and index             BUG 6  of two losers, both free
 *   BUG 7  isolate does not look at the pin in its swap BUG 8  unpin does not look at DEAD
 *   BUG 9  del marks DEAD after it gave the lock back   BUG 10 putback does not look at DEAD
 *   BUG 11 unpin of a parked node without the lock      BUG 12 unpin of a parked node does not take its slot
 *   BUG 13 compaction copies instead of taking          BUG 14 a flush does not take the stripe's lock
 *   BUG 15 the scan publishes after it gave the lock back
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef NN
#define NN 1      /* nodes: an adder, and a deleter each */
#endif
#ifndef NS
#define NS 3      /* blocks */
#endif
#ifndef ROUNDS
#define ROUNDS 1  /* lives of each node's address */
#endif
#ifndef TURNS
#define TURNS 1   /* of each evictor */
#endif
#ifndef EVICTORS
#define EVICTORS 1
#endif
#ifndef HOLDERS
#define HOLDERS 0 /* of node 0 */
#endif
#ifndef PUTBACK
#define PUTBACK 0
#endif
#ifndef COMPACT
#define COMPACT 0
#endif

/* The word: gen != 0, ISOLATED, PINNED, DEAD. */
#define L 1
#define I 2
#define P 4
#define D 8
#define IS_PARKED(w) ((w) == P)

/* Where a block is. */
#define POOL 0
#define OPEN 1
#define GENS 2
#define PARK 3
#define SPARE 4  /* in the hands of an add */

byte word[NN];
byte nslot[NN];  /* back pointer: 0 none, s + 1 */
byte slot[NS];   /* 0 empty, n + 1 */
byte place[NS];  /* under the lock; OPEN is the stripe's */
bit alive[NN];   /* memory is allocated */
bit idx[NN];     /* the owner's index holds it */
bit lk;          /* lru.lock */
bit stripe;      /* stripe.lock */

inline lock()           { atomic { lk == 0 -> lk = 1 } }
inline unlock()         { lk = 0 }
inline stripe_lock()    { atomic { stripe == 0 -> stripe = 1 } }
inline stripe_unlock()  { stripe = 0 }
inline touch(n)         { assert(alive[n]) }
inline free_node(n)     { atomic { assert(alive[n]); assert(!idx[n]); alive[n] = 0; word[n] = 0; nslot[n] = 0 } }

/* genlru__pool_get: a block, or d = NS. The pool's lock is a leaf: one step. */
inline get_block(d, where)
{
	atomic {
		d = 0;
		do
		:: d < NS && place[d] != POOL -> d++
		:: else -> break
		od;
		if :: d < NS -> assert(slot[d] == 0); place[d] = where :: else fi
	}
}

inline publish(n, s)
{
#if BUG == 3
	slot[s] = n + 1; touch(n); nslot[n] = s + 1;
#else
	touch(n); nslot[n] = s + 1; slot[s] = n + 1;
#endif
}

/* genlru__take_own */
inline take_own(n, s, ok)
{
	touch(n); s = nslot[n]; ok = 0;
#if BUG == 1
	if :: s -> slot[s - 1] = 0; ok = 1 :: else fi;
#else
	atomic { if :: s && slot[s - 1] == n + 1 -> slot[s - 1] = 0; ok = 1 :: else fi }
#endif
}

inline unpin_parked(n)
{
#if BUG != 11
	lock();
#endif
#if BUG == 12
	touch(n); s = nslot[n]; ok = (s != 0);
#else
	take_own(n, s, ok);
#endif
	atomic {  /* the CAS loop: genlru__word_unpin on the newest word */
		touch(n); w = word[n]; assert(w & P);
		if
		:: IS_PARKED(w) && ok -> word[n] = L
		:: else -> word[n] = w & ~P
		fi
	}
	if
	:: ok ->                          /* relist, or publish back in place */
		get_block(d, GENS);
		if
		:: d < NS -> publish(n, d); place[s - 1] = POOL
		:: else -> publish(n, (s - 1))
		fi
	:: else
	fi;
#if BUG != 11
	unlock();
#endif
	if :: w & D -> free_node(n) :: else fi
}

/* genlru_unpin */
inline unpin(n)
{
	do
	:: touch(n); w = word[n];
		if
		:: IS_PARKED(w) -> unpin_parked(n); break
		:: else ->
			assert(w & P);
			atomic { touch(n); ok = (word[n] == w); if :: ok -> word[n] = w & ~P :: else fi }
			if
#if BUG == 8
			:: ok -> break
#else
			:: ok -> if :: w & D -> free_node(n) :: else fi; break
#endif
			:: else
			fi
		fi
	od
}

proctype adder(byte n)
{
	byte s, d, w, r; bit ok;
	for (r : 1 .. ROUNDS) {
		if
		:: atomic { !alive[n] -> alive[n] = 1; word[n] = 0; nslot[n] = 0 }
		:: r > 1 -> goto out
		fi;
		get_block(s, SPARE);                                /* no lock is held: it may call the allocator */
		if
		:: s == NS -> atomic { alive[n] = 0; goto out }     /* -ENOMEM: nothing changed */
		:: else
		fi;
		stripe_lock();
		lock(); place[s] = OPEN; unlock();                  /* replace_open */
#if BUG == 5
		word[n] = L;
#else
		word[n] = L | P;
#endif
		publish(n, s);
		stripe_unlock();
		atomic { touch(n); idx[n] = 1 }
#if BUG != 5
		unpin(n)
#endif
	}
out:	skip
}

proctype deleter(byte n)
{
	byte s, w, r; bit ok, old;
	for (r : 1 .. ROUNDS) {
		if
		:: atomic { idx[n] -> idx[n] = 0 }
			take_own(n, s, ok);
			old = 0;
			if
			:: !ok ->
#if BUG == 4
				skip;
#else
				lock();
				take_own(n, s, ok);
#endif
#if BUG == 9
				unlock();
#endif
				if
				:: !ok -> /* hand_over_to_evictor */
					atomic { touch(n); w = word[n]; assert(w & I); old = (w & D) != 0; word[n] = w | D }
				:: else
				fi;
#if BUG != 9 && BUG != 4
				unlock()
#endif
			:: else
			fi;
			if
			:: ok -> /* finish */
				touch(n); nslot[n] = 0;
				atomic {
					touch(n); w = word[n];
					assert(!(w & (I | D)));
					word[n] = (w & P -> P | D : 0)
				}
				if :: w & P :: else -> free_node(n) fi
			:: else ->
#if BUG == 6
				free_node(n)
#else
				if :: old -> free_node(n) :: else fi
#endif
			fi
		:: true -> break
		fi
	}
}

#if HOLDERS
proctype holder(byte n)
{
	byte s, d, w; bit ok;
	atomic {  /* the index's lock keeps the node alive for the pin */
		if
		:: idx[n] -> touch(n); ok = (word[n] == L); if :: ok -> word[n] = L | P :: else fi
		:: true -> ok = 0
		fi
	}
	if :: ok -> touch(n); unpin(n) :: else fi
}
#endif

#if COMPACT
proctype compactor()
{
	byte i, d, n;
	lock();
	i = 0; d = 0;
	do :: i < NS - 1 -> i++ :: break od;
	do :: d < NS - 1 -> d++ :: break od;
	if
	:: i != d && (place[i] == GENS || place[i] == PARK) && place[i] == place[d] && slot[d] == 0 ->
#if BUG == 13
		n = slot[i];
#else
		atomic { n = slot[i]; slot[i] = 0 }
#endif
		if
		:: n -> n--; publish(n, d)
		:: else
		fi;
#if BUG == 13
		slot[i] = 0;
#endif
		place[i] = POOL
	:: else
	fi;
	unlock()
}
#endif

inline flush()
{
#if BUG != 14
	stripe_lock();
#endif
	lock();
	d = 0;
	do
	:: d < NS ->
		if
		:: place[d] == OPEN -> if :: slot[d] -> place[d] = GENS :: else -> place[d] = POOL fi
		:: else
		fi;
		d++
	:: else -> break
	od;
	unlock();
#if BUG != 14
	stripe_unlock();
#endif
}

/* genlru_release */
inline release(n)
{
	atomic { touch(n); w = word[n]; assert(w & I); word[n] = w | D }
#if BUG == 6
	free_node(n)
#else
	if :: w & D -> free_node(n) :: else fi
#endif
}

inline index_or_release(n)
{
	atomic { touch(n); ok = idx[n]; idx[n] = 0 }
	if :: ok -> free_node(n) :: else -> release(n) fi
}

inline putback(n)
{
	lock();
	touch(n); w = word[n]; assert(w & I);
	if
#if BUG != 10
	:: w & D -> unlock(); free_node(n)
	:: else ->
#else
	:: true ->
#endif
		get_block(d, GENS);
		if
		:: d == NS -> unlock(); index_or_release(n)          /* -ENOMEM: still isolated */
		:: else ->
			atomic { touch(n); ok = (word[n] == w); if :: ok -> word[n] = L :: else fi }
			if
			:: ok -> publish(n, d); unlock()
			:: else -> place[d] = POOL; unlock(); index_or_release(n)  /* DEAD came: the loop answers "yours" */
			fi
		fi
	fi
}

/* dispose: the verdict on n, taken from slot i of list `from`. to = PARK, GENS: move; POOL: isolate; OPEN: keep */
inline dispose(n, i)
{
	do
	:: touch(n); w = word[n];
		d = NS;
		if
		:: from == GENS && IS_PARKED(w) -> get_block(d, PARK); to = (d < NS -> PARK : OPEN)
		:: from == GENS && (w & L) && (w & P) -> to = PARK
		:: from == GENS && w == L ->
			if
			:: out == 0 -> to = POOL
			:: get_block(d, GENS); to = (d < NS -> GENS : OPEN)
			:: to = OPEN
			fi
		:: from == PARK && IS_PARKED(w) -> to = OPEN
		:: from == PARK && (w & L) -> /* unpinned in place */
			get_block(d, GENS);
			if
			:: d < NS -> to = GENS
			:: d == NS && (w & P) -> to = PARK
			:: d == NS && !(w & P) && out == 0 -> to = POOL
			:: d == NS && !(w & P) && out != 0 -> to = OPEN  /* the batch is full before it comes here */
			fi
		:: else -> assert(false)
		fi;
		if
		:: to == OPEN -> break
		:: d < NS -> break                                   /* moves only: the word stays */
		:: to == PARK && d == NS ->
			atomic { touch(n); ok = (word[n] == w); if :: ok -> word[n] = w & ~L :: else fi }
			if :: ok -> get_block(d, PARK); break :: else fi
		:: to == POOL ->
			touch(n); nslot[n] = 0;
#if BUG == 7
			atomic { touch(n); ok = 1; word[n] = (word[n] | I) & ~L }
#else
			atomic { touch(n); ok = (word[n] == w); if :: ok -> word[n] = I :: else fi }
#endif
			if :: ok -> break :: else fi
		fi
	od;
	if
	:: to == POOL -> out = n + 1; place[i] = POOL
	:: else ->
		if
		:: d < NS ->
#if BUG == 15
			unlock();
#endif
			publish(n, d);
#if BUG == 15
			lock();
#endif
			place[i] = POOL
		:: else -> publish(n, i)
		fi
	fi
}

proctype evictor()
{
	byte i, n, d, w, t, to, from, out; bit ok;
	for (t : 1 .. TURNS) {
		if :: flush() :: true fi;
		out = 0;
		lock();
		for (i : 0 .. NS - 1) {
			if
			:: place[i] == GENS || place[i] == PARK ->
				from = place[i];
#if BUG == 2
				n = slot[i];
				if :: n -> touch(n - 1) :: else fi;
#endif
				atomic { n = slot[i]; slot[i] = 0 }
				if
				:: n == 0 -> place[i] = POOL
				:: else -> n--; dispose(n, i)
				fi
			:: else
			fi
		}
		unlock();
		if
		:: out ->
			n = out - 1;
			if
			:: index_or_release(n)
#if PUTBACK
			:: putback(n)
#endif
			fi
		:: else
		fi
	}
}

init {
	byte n, i, c;
	atomic {
		for (n : 0 .. NN - 1) { run adder(n); run deleter(n) }
		for (n : 1 .. EVICTORS) { run evictor() }
#if HOLDERS
		for (n : 1 .. HOLDERS) { run holder(0) }
#endif
#if COMPACT
		run compactor();
#endif
	}
	(_nr_pr == 1);
	atomic {
		for (n : 0 .. NN - 1) {
			c = 0;
			for (i : 0 .. NS - 1) {
				if :: slot[i] == n + 1 -> c++; assert(nslot[n] == i + 1); assert(place[i] != POOL) :: else fi
			}
			assert(c == (alive[n] -> 1 : 0));            /* invariant 1, and nothing is lost */
			assert(alive[n] == idx[n]);                  /* what lives is in the index */
			assert(!alive[n] || word[n] == L)            /* ... listed, and not pinned */
		}
	}
}

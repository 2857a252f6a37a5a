/* SPDX-License-Identifier: MIT */
/*
 * Counters of nodes and charge beside words and slots: a del that subtracts before it takes its slot, plain victims and batches of
 * a scan, hits, recharges, unpins and putbacks that count after their swap; and an evict that finds lists without blocks and
 * counters that tell of nodes. Who frees what is the business of slots.pml; here each change of a counter is a step of its own.
 *
 *   adder     genlru_add (genlru__stripe_slot, genlru__publish, genlru__account_add)
 *   deleter   genlru_del (is_listed_here, genlru__account_del, genlru__take_own, finish, genlru__account_undel), del_slowly
 *   evictor   genlru__flush (hand_over), genlru__scan_list (genlru__take; isolate_plain, keep_plain, move_plain, count_plain; dispose:
 *             park, protect, move, with genlru__batch_account), genlru__batch_flush; then genlru_putback or not; look, genlru__sum_listed
 *   hitter    genlru_access, genlru_advise: a swap to another generation, genlru__account_move
 *   charger   genlru_recharge, genlru__account
 *   holder    genlru_unpin, unpin_parked, relist
 *
 * Asserted: invariant 4 when all is done; always, that the counters outside of the parked one add up to no more nodes than stand in
 * slots or in a mover's hands (what the comment at genlru__account_del promises); and that no evict takes a del under way for
 * an inconsistency. What is counted under a stripe's lock and without it is added up by every reader: one variable here, but only
 * what is counted without it leaves a trace (GENLRU__CHANGE, sizes.h). Nobody reads a charge before the end: it changes in the step of
 * its number of nodes. A generation is its code, 1 the oldest.
 *
 *   BUG 1  del takes the slot, then subtracts          BUG 2  a del that lost the slot does not add again
 *   BUG 3  finish does not count what changed since    BUG 4  ... or adds before it subtracts
 *   BUG 5  a parked node is deleted the short way      BUG 6  a batch adds before it subtracts
 *   BUG 7  a plain victim's swap is not renewed        BUG 8  look does not look at the number of dels
 *   BUG 9  look adds up once                           BUG 10 look compares sums, not what was changed
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef NN
#define NN 1       /* nodes */
#endif
#ifndef GENS
#define GENS 3
#endif
#ifndef HITS
#define HITS 0     /* of node 0, which is deleted */
#endif
#ifndef CHARGES
#define CHARGES 0
#endif
#ifndef HOLDERS
#define HOLDERS 0  /* of node 0: it is pinned when all begins */
#endif
#ifndef ADD
#define ADD 0      /* 1: node 0 is added first */
#endif
#ifndef EVICTORS
#define EVICTORS 1
#endif
#ifndef TURNS
#define TURNS 2
#endif
#ifndef PUTBACK
#define PUTBACK 0
#endif
#ifndef MONITOR
#define MONITOR 1
#endif

/* The word: gen code, ISOLATED, PINNED, DEAD. */
#define GEN(w) ((w) & 3)
#define I 4
#define P 8
#define D 16
#define NONE 7
#define IS_PARKED(w) ((w) == P)
#define INDEX(w) (GEN(w) -> GEN(w) : (IS_PARKED(w) -> 0 : NONE))

byte word[NN];
byte weight[NN];          /* charge: one atomic with the word */
bit slot[NN];             /* the node stands in the slot that it names */
byte at[NN];              /* ... which is on this list: a generation's, or 0, the parked one */
bit held[NN];             /* ghost: in a mover's hands, until it unlocks */
bit blocks[GENS + 1];     /* the list has a linked block */
bit is_open;              /* ... list 1 an open one, of the stripe; node 0 is in it */
bit added;                /* add has returned */
bit stripe;               /* its lock */
short nodes[GENS + 1];    /* counters, by index */
short charge[GENS + 1];
short total;              /* the lru's charge */
byte changes[GENS + 1];   /* of each counter, in the upper bits of the same word */
byte nr_scanned, nr_dels;
bit lk;
byte done;

inline lock()   { atomic { lk == 0 -> lk = 1 } }
inline unlock() { d_step { n_ = 0; do :: n_ < NN -> held[n_] = 0; n_++ :: else -> break od; n_ = 0; lk = 0 } }

/* Macros, not inlines, as those cannot be given each other's parameters. */
#define count(index, by, weight_by) \
	d_step { nodes[index] = nodes[index] + (by); charge[index] = charge[index] + (weight_by); changes[index]++ }

/* Word and charge are read, and swapped, as one. */
#define load(n, w, c) atomic { w = word[n]; c = weight[n] }
#define swap(n, w, c, v) atomic { ok = (word[n] == (w) && weight[n] == (c)); if :: ok -> word[n] = v :: else fi }
#define take(n, ok) atomic { ok = slot[n]; slot[n] = 0 }
#define take_and_hold(n, ok) atomic { ok = slot[n]; slot[n] = 0; held[n] = held[n] | ok }
#define publish(n, list) atomic { at[n] = list; slot[n] = 1; if :: list -> blocks[list] = 1 :: else fi }

#define publish_open(n) atomic { at[n] = 1; slot[n] = 1 }

/* genlru__account: (w, c) becomes (v, b). What leaves a counter first. */
#define account(w, c, v, b) \
	if \
	:: INDEX(w) == INDEX(v) -> if :: INDEX(w) != NONE -> count(INDEX(w), 0, b - c) :: else fi \
	:: else -> \
		if :: INDEX(w) != NONE -> count(INDEX(w), -1, 0 - c) :: else fi; \
		if :: INDEX(v) != NONE -> count(INDEX(v), 1, b) :: else fi \
	fi; \
	total = total + (INDEX(v) != NONE -> b : 0) - (INDEX(w) != NONE -> c : 0)

/* Under the stripe's lock: no changes[]. */
#define count_held(index, by, weight_by) d_step { nodes[index] = nodes[index] + (by); charge[index] = charge[index] + (weight_by) }

#define account_del(w, c) \
	if \
	:: atomic { stripe == 0 -> stripe = 1 } count_held(INDEX(w), -1, 0 - c); total = total - c; nr_dels++; stripe = 0 \
	:: count(INDEX(w), -1, 0 - c); total = total - c; nr_dels++ \
	fi

/* The node is this call's; w, c: as it was subtracted. */
inline finish(n)
{
	do
	:: load(n, v, b);
		assert(!(v & (I | D)));
		swap(n, v, b, (v & P -> P | D : 0));
		if :: ok -> break :: else fi
	od;
#if BUG != 3
	if
#if BUG == 4
	:: v != w -> count(INDEX(w), 1, c); count(INDEX(v), -1, 0 - b); total = total + c - b
	:: v == w && b != c -> account(v, b, w, c)
#else
	:: v != w || b != c -> account(v, b, w, c)
#endif
	:: else
	fi
#endif
}

#if ADD
/* Of a stripe that has no open block. */
proctype adder()
{
	byte n_;
	atomic { stripe == 0 -> stripe = 1 }
	lock(); is_open = 1; unlock();
	word[0] = 1;
	publish_open(0);
	count_held(1, 1, 1); total++;
	stripe = 0;
	added = 1;
	done++
}
#endif

proctype deleter(byte n)
{
	byte w, c, v, b, n_; bit ok;
	(!ADD || added);
	load(n, w, c);
	ok = 0;
	if
#if BUG == 5
	:: (GEN(w) || IS_PARKED(w)) && slot[n] ->
#else
	:: GEN(w) && slot[n] ->
#endif
#if BUG == 1
		take(n, ok);
		if :: ok -> account_del(w, c) :: else fi;
#else
		account_del(w, c);
		take(n, ok);
#endif
		if
		:: ok -> finish(n)
		:: else ->
#if BUG != 1 && BUG != 2
			count(INDEX(w), 1, c); total = total + c
#endif
		fi
	:: else
	fi;
	if
	:: !ok -> /* del_slowly */
		lock();
		take_and_hold(n, ok);
		if
		:: ok -> load(n, w, c); account(w, c, 0, 0); unlock(); finish(n); nr_dels++
		:: else -> atomic { assert(word[n] & I); word[n] = word[n] | D } unlock()
		fi
	:: else
	fi;
	atomic { w = 0; c = 0; v = 0; b = 0; ok = 0; done++ }
}

#if HITS
proctype hitter()
{
	byte w, c, to, k; bit ok;
	for (k : 1 .. HITS) {
		load(0, w, c);
		if
		:: GEN(w) && GEN(w) < GENS -> to = w + 1
		:: GEN(w) > 1 -> to = w - 1           /* genlru_advise: cold */
		:: !GEN(w) -> to = w
		fi;
		swap(0, w, c, to);
		if :: ok && to != w -> count(GEN(w), -1, 0 - c); count(GEN(to), 1, c) :: else fi;
		atomic { w = 0; c = 0; to = 0; ok = 0 } /* dead values would be states of their own */
	}
	done++
}
#endif

#if CHARGES
proctype charger()
{
	byte w, c; bit ok;
	do
	:: load(0, w, c);
		atomic { ok = (word[0] == w && weight[0] == c); if :: ok -> weight[0] = 2 :: else fi }
		if :: ok -> break :: else fi
	od;
	account(w, c, w, 2);
	atomic { w = 0; c = 0; ok = 0; done++ }
}
#endif

#if HOLDERS
proctype holder()
{
	byte w, c, v, n_; bit ok, has_slot;
	do
	:: load(0, w, c);
		if
		:: IS_PARKED(w) -> /* unpin_parked */
			lock();
			take_and_hold(0, has_slot);
			do
			:: load(0, w, c);
				v = (IS_PARKED(w) && has_slot -> 2 : w & ~(P | D));
				swap(0, w, c, v);
				if :: ok -> break :: else fi
			od;
			account(w, c, v, c);
			if :: has_slot -> publish(0, GEN(v)) :: else fi;
			unlock();
			break
		:: else ->
			swap(0, w, c, w & ~(P | D));
			if :: ok -> break :: else fi
		fi
	od;
	done++
}
#endif

/* What a scan does with node n of list l. */
inline dispose(n)
{
	do
	:: load(n, w, c);
		assert(w & 3 || IS_PARKED(w));
		v = w; to = GEN(w);
		if
		:: GEN(w) == l && !(w & P) -> v = I                     /* isolate_plain, or the verdict ISOLATE */
		:: GEN(w) == l && !(w & P) && l < GENS -> v = w + 1; to = l + 1 /* protect, keep, sweep */
		:: GEN(w) == l && (w & P) -> v = P; to = 0              /* park */
		:: GEN(w) != l
		fi;
#if BUG == 7
		if
		:: v == I -> atomic { ok = 1; v = word[n]; if :: !(v & P) -> word[n] = I; v = I :: else -> ok = 0 fi }
		:: else -> swap(n, w, c, v)
		fi;
#else
		swap(n, w, c, v);
#endif
		if :: ok -> break :: else fi
	od;
	atomic {
		if
		:: v == w
		:: v != w ->
			batch[GEN(w)]--; batch_charge[GEN(w)] = batch_charge[GEN(w)] - c;
			batch_total = batch_total - c;
			if
			:: v == I -> out = n + 1
			:: else -> batch[to]++; batch_charge[to] = batch_charge[to] + c; batch_total = batch_total + c
			fi
		fi
	}
	if :: v == I :: else -> publish(n, to) fi
}

inline flush_signed(is_wanted)
{
	i = 0;
	do
	:: i <= GENS -> if :: batch[i] && is_wanted -> count(i, batch[i], batch_charge[i]) :: else fi; i++
	:: else -> break
	od
}

inline batch_flush()
{
#if BUG == 6
	flush_signed(batch[i] >= 0); flush_signed(batch[i] < 0);
#else
	flush_signed(batch[i] < 0); flush_signed(batch[i] >= 0);
#endif
	atomic {
		i = 0;
		do :: i <= GENS -> batch[i] = 0; batch_charge[i] = 0; i++ :: else -> break od;
		i = 0;
		total = total + batch_total; batch_total = 0
	}
}

/* genlru__sum_listed: nodes outside of the parked counter, one counter after the other; `seen`: what was read, changes included */
inline add_up(sum, seen)
{
	sum = 0; seen = 0; i = 1;
	do
	:: i <= GENS -> d_step { sum = sum + nodes[i]; seen = seen + changes[i]; i++ }
	:: else -> break
	od;
	i = 0;
#if BUG == 10
	seen = 0;
#endif
	sum = (sum > 0 -> sum : 0)
}

inline any_lists()
{
	lock();
	has_lists = is_open || blocks[1] || blocks[2] || blocks[GENS];
	unlock()
}

/* genlru__nothing_left: what the last of its looks would say */
inline look()
{
	atomic { scanned_then = nr_scanned; dels_then = nr_dels }
	any_lists();
	if
	:: !has_lists ->
		add_up(sum, seen);
#if BUG == 9
		sum2 = sum; seen2 = seen;
#else
		add_up(sum2, seen2);
#endif
		any_lists();
#if BUG == 8
		dels_then = nr_dels;
#endif
		assert(has_lists || sum != sum2 || seen != seen2 || scanned_then != nr_scanned || dels_then != nr_dels || !sum)
	:: else
	fi;
	d_step { sum = 0; sum2 = 0; seen = 0; seen2 = 0; scanned_then = 0; dels_then = 0; has_lists = 0 }
}

/* genlru__flush of the one open block: linked, or dropped if all in it were deleted */
inline flush()
{
	atomic { stripe == 0 -> stripe = 1 }
	lock();
	if :: is_open -> is_open = 0; if :: slot[0] && at[0] == 1 -> blocks[1] = 1 :: else fi :: else fi;
	unlock();
	stripe = 0
}

proctype evictor()
{
	byte t, l, n, w, c, v, to, i, out, n_, scanned_then, dels_then, seen, seen2;
	short batch[GENS + 1]; short batch_charge[GENS + 1];
	short batch_total, sum, sum2;
	bit ok, is_kept, met, has_lists;
	for (t : 1 .. TURNS) {
		lock();
		l = (blocks[1] -> 1 : (blocks[2] -> 2 : (blocks[GENS] -> GENS : 0)));
		if
		:: l ->
			is_kept = 0; met = 0;
			for (n : 0 .. NN - 1) {
				if
				:: at[n] == l -> take_and_hold(n, ok); if :: ok -> met = 1; dispose(n); is_kept = is_kept | (slot[n] && at[n] == l) :: else fi
				:: else
				fi
			}
			if :: !is_kept -> blocks[l] = 0 :: else fi;
			batch_flush();
			nr_scanned = nr_scanned + met; /* a few empty slots do not count */
			unlock()
		:: !l && is_open -> unlock(); flush()
		:: else -> unlock(); look()
		fi;
		if
		:: out ->
			n = out - 1; out = 0;
			if
#if PUTBACK
			:: true ->
				lock();
				load(n, w, c);
				if
				:: w & D
				:: else -> swap(n, w, c, 2); if :: ok -> held[n] = 1; account(w, c, 2, c); publish(n, 2) :: else fi
				fi;
				unlock()
#endif
			:: true
			fi
		:: else
		fi;
		d_step { w = 0; c = 0; v = 0; to = 0; l = 0; n = 0; i = 0; ok = 0; is_kept = 0; met = 0 }
	}
	done++
}

#if MONITOR
/* Looks once, at any time. */
proctype monitor()
{
	byte n, present; short sum;
	d_step {
		n = 0;
		do
		:: n < NN -> present = present + ((slot[n] && at[n]) || held[n]); n++
		:: else -> break
		od;
		sum = nodes[1] + nodes[2] + (GENS > 2 -> nodes[GENS] : 0);
		assert(sum <= present)
	}
	done++
}
#endif

init {
	byte n, i, k; short found, weighs, all;
	atomic {
		for (n : 0 .. NN - 1) {
			weight[n] = 1;
			if
			:: ADD
			:: else ->
				word[n] = (HOLDERS && n == 0 -> 1 | P : 1);
				slot[n] = 1; at[n] = 1; blocks[1] = 1;
				nodes[1]++; charge[1]++; total++
			fi;
			run deleter(n)
		}
		for (k : 1 .. EVICTORS) { run evictor() }
#if ADD
		run adder();
#endif
#if HITS
		run hitter();
#endif
#if CHARGES
		run charger();
#endif
#if HOLDERS
		run holder();
#endif
#if MONITOR
		run monitor();
#endif
	}
	(done == NN + EVICTORS + ADD + (HITS > 0) + (CHARGES > 0) + (HOLDERS > 0) + (MONITOR > 0));
	d_step {
		i = 0;
		do
		:: i <= GENS ->
			found = 0; weighs = 0; n = 0;
			do
			:: n < NN ->
				if :: INDEX(word[n]) == i -> found++; weighs = weighs + weight[n] :: else fi;
				n++
			:: else -> break
			od;
			assert(nodes[i] == found && charge[i] == weighs); /* invariant 4 */
			all = all + weighs;
			i++
		:: else -> break
		od;
		assert(total == all)
	}
}

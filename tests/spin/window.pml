/* SPDX-License-Identifier: MIT */
/*
 * The window of generations: words that lag behind it, counters that follow the words, open blocks that lag as well.
 *
 * PART 1, access x age:
 *   access    genlru_impl_access_any, access_mapped: one load of the window, a CAS of the word, the counters, and, if too many
 *             agings came between (is_too_late), refresh
 *   ager      genlru_age, and the steps of evict that move a node: make_room (sweep_block, genlru__advance_min),
 *             genlru__begin_gen; the scan's MOVE and PROTECT
 * PART 2, add x age:
 *   adder     genlru_add of two nodes, one after the other: word_after, genlru__stripe_slot (the open block of the same
 *             generation, or a new one unless it left the window), publish
 *   ager      make_room with its one flush a generation, genlru__advance_min, genlru__begin_gen, genlru__flush, hand_over
 *
 * A generation is a whole number here (seq); words hold 1 + seq mod M, lists are seq mod NL, the window holds at most W. The code's
 * M, NL and W are 127, 4..64 and 3..64; small ones keep the same relations: NL >= W, M >= 2 W - 1. A word may be written W - 1
 * generations old, by a caller that missed LATE - 1 agings, and lag by W - 1 more while its node hangs on a young list; all that
 * must stay below M, so LATE = M + 2 - 2 W agings are too many.
 *
 *   BUG 1  no refresh                         BUG 2  decode does not clamp
 *   BUG 3  too late is M - W agings           BUG 4  counters follow the word that is read after the swap
 *   BUG 11 open blocks are matched and handed over by list, not by generation
 *   BUG 12 a block is opened for a generation that left the window
 *   BUG 13 genlru__advance_min forgets the open blocks
 *   BUG 14 make_room passes a generation that nodes hang on
 *   BUG 15 the window is read before the stripe is locked, and not looked at again when a block is opened
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef PART
#define PART 1
#endif
#ifndef M
#define M 5
#endif
#ifndef W
#define W 3
#endif
#ifndef NL
#define NL 4
#endif
#ifndef AGES
#define AGES 7
#endif
#ifndef ACCESSES
#define ACCESSES 1  /* of each accessor */
#endif
#ifndef ACCESSORS
#define ACCESSORS 1
#endif
#ifndef COUNTERS
#define COUNTERS 1  /* 0: left out, for more accessors */
#endif
#if BUG == 3
#define LATE (M - W)
#else
#define LATE (M + 2 - 2 * W)
#endif

#define NONE 255
#define CODE(seq) (1 + (seq) % M)
#define LIST(seq) ((seq) % NL)
/* Of the lists between min_seq and max_seq; none of NL wraps onto another, as NL >= W. */
#define IS_IN_WINDOW(list) (((list) + NL - LIST(min_seq)) % NL <= max_seq - min_seq)

/* view.window: youngest and width, published and read as one. Starts so high that nothing goes below 0. */
byte max_seq = M + W - 1;
byte min_seq = M;

/* genlru_impl_age by the window (mx, mn): how many generations older than the youngest; clamped to the oldest. */
inline decode(code, mx, mn, seq)
{
	d_step {
		age = (CODE(mx) >= code -> CODE(mx) - code : CODE(mx) + M - code);
#if BUG != 2
		if :: age > mx - mn -> age = mx - mn :: else fi;
#endif
		seq = mx - age;
		age = 0
	}
}

/* ======================================================================================================= */
#if PART == 1
byte word;              /* gen code of the one node */
byte want;              /* ghost: generation that the last writer meant */
byte pos;               /* list that it hangs on */
short counter[M + 1];   /* by gen code */
byte done;

/* One CAS: `code` -> generation `to`. */
inline swap(code, to)
{
	atomic { ok = (word == code); if :: ok -> word = CODE(to); want = to :: else fi }
}

inline account(code, to)
{
	if
	:: !COUNTERS
#if BUG == 4
	:: COUNTERS && word != code -> counter[code]--; counter[word]++
#else
	:: COUNTERS && CODE(to) != code -> counter[code]--; counter[CODE(to)]++
#endif
	:: else
	fi
}

proctype access()
{
	byte w, mx, mn, to, k, age; bit ok;
	for (k : 1 .. ACCESSES) {
		do
		:: w = word;
			atomic { mx = max_seq; mn = min_seq }
			decode(w, mx, mn, to);
			if
			:: to = mx                                  /* mapped, second access */
			:: to < mx -> to++                          /* deferral, overflow */
			:: true -> to = mn                          /* genlru_advise: cold */
			fi;
			swap(w, to);
			if :: ok -> break :: else fi
		od;
		mn = 0;
		account(w, to);
#if BUG != 1
		do                                              /* refresh while too late */
		:: max_seq - mx >= LATE ->
			do
			:: w = word; mx = max_seq; to = mx;
				swap(w, to);
				if :: ok -> break :: else fi
			od;
			account(w, to); mn = 0
		:: else -> break
		od;
#endif
		atomic { w = 0; mx = 0; mn = 0; to = 0; ok = 0 }  /* dead values would be states of their own */
	}
	done++
}

/* Under the lock throughout. */
proctype ager()
{
	byte w, k, seq, age; bit ok;
	for (k : 1 .. AGES) {
		if
		:: pos == LIST(min_seq) ->                      /* the scan meets the node */
			w = word; decode(w, max_seq, min_seq, seq);
			if
			:: seq != min_seq -> pos = LIST(seq)        /* MOVE */
			:: seq == min_seq ->                        /* PROTECT: its swap may fail, then the next scan */
				swap(w, min_seq + 1);
				if :: ok -> account(w, min_seq + 1); pos = LIST(min_seq + 1) :: else fi
			fi
		:: true
		fi;
		if
		:: max_seq - min_seq + 1 == W ->                /* make_room */
			if
			:: pos == LIST(min_seq) ->                  /* sweep_block */
				do
				:: w = word; decode(w, max_seq, min_seq, seq);
					if
					:: seq > min_seq -> break           /* promoted: the word stays */
					:: else -> swap(w, min_seq + 1); if :: ok -> account(w, min_seq + 1); break :: else fi
					fi
				od;
				pos = LIST(min_seq + 1)
			:: else
			fi;
			min_seq++
		:: else
		fi;
		max_seq++;
		atomic { w = 0; seq = 0; ok = 0 }
		assert(IS_IN_WINDOW(pos))                       /* invariant 10: a scan comes by */
	}
	done++
}

init {
	byte seq, i, age;
	atomic {
		word = CODE(min_seq); want = min_seq; pos = LIST(min_seq); counter[word] = 1;
		for (i : 1 .. ACCESSORS) { run access() }
		run ager()
	}
	(done == ACCESSORS + 1);
	atomic {
		decode(word, max_seq, min_seq, seq);
		for (i : 1 .. M) { assert(!COUNTERS || counter[i] == (word == i -> 1 : 0)) }     /* invariant 4 */
		assert(seq >= min_seq && seq <= max_seq);                           /* invariant 8 */
		assert(seq == (want < min_seq -> min_seq : want));                  /* the code means what its writer meant */
		assert(IS_IN_WINDOW(pos))
	}
}
#endif

/* ======================================================================================================= */
#if PART == 2
#define NODES 2
byte word[NODES];
byte want[NODES];
byte pos[NODES];        /* list it hangs on; NONE: in the open block, or nowhere */
bit in_open[NODES];
byte open_seq = NONE;   /* the stripe's open block: generation; NONE = there is none */
byte open_list;
short nr_open[NL];
byte flushed_seq = NONE;
bit lk, stripe;
byte done;

inline lock()          { atomic { lk == 0 -> lk = 1 } }
inline unlock()        { lk = 0 }
inline stripe_lock()   { atomic { stripe == 0 -> stripe = 1 } }
inline stripe_unlock() { stripe = 0 }

/* Under both locks; one step, since only lock holders look. */
inline hand_over()
{
	d_step {
#if BUG == 11
		home = open_list;
#else
		home = (open_seq >= min_seq -> open_list : LIST(min_seq));
#endif
		assert(nr_open[home] > 0);
		nr_open[home]--;
		i = 0;
		do
		:: i < NODES -> if :: in_open[i] -> in_open[i] = 0; pos[i] = home :: else fi; i++
		:: else -> break
		od;
		i = 0; home = 0; open_seq = NONE
	}
}

proctype adder()
{
	byte n, s, mx, mn, i, home; bit is_open, is_stale;
	for (n : 0 .. NODES - 1) {
#if BUG == 15
		atomic { mx = max_seq; mn = min_seq }
#endif
		stripe_lock();
		do
		::
#if BUG != 15
			atomic { mx = max_seq; mn = min_seq }           /* word_after, list_of */
#endif
			if :: s = mn :: s = mx :: s = mn + 1 fi;
#if BUG == 11
			is_open = (open_seq != NONE && open_list == LIST(s));
#else
			is_open = (open_seq == s);
#endif
			if
			:: is_open -> break
			:: else ->
				lock();
#if BUG == 12 || BUG == 15
				is_stale = 0;
#else
				is_stale = (s < min_seq);
#endif
				if
				:: !is_stale ->
					if :: open_seq != NONE -> hand_over() :: else fi;
					d_step { open_seq = s; open_list = LIST(s); nr_open[LIST(s)]++ }
				:: else
				fi;
				unlock();
				if :: !is_stale -> break :: else fi
			fi
		od;
		word[n] = CODE(s); want[n] = s;
		in_open[n] = 1;                                     /* publish */
		stripe_unlock()
	}
	done++
}

inline flush(list)
{
	stripe_lock();
	lock();
	if
	:: open_seq != NONE ->
		d_step { home = (open_seq >= min_seq -> open_list : LIST(min_seq)) }
		if :: list == NONE || home == list -> hand_over() :: else fi
	:: else
	fi;
	unlock();
	stripe_unlock()
}

proctype ager()
{
	byte k, n, i, home, list, seq, age;
	for (k : 1 .. AGES) {
		do
		:: lock();
			list = NONE;
			if
			:: max_seq - min_seq + 1 == W ->                /* make_room */
#if BUG != 14
				for (n : 0 .. NODES - 1) {                  /* sweep: words of the oldest generation move up with it */
					if
					:: pos[n] == LIST(min_seq) ->
						decode(word[n], max_seq, min_seq, seq);
						if :: seq == min_seq -> word[n] = CODE(min_seq + 1); want[n] = min_seq + 1 :: else fi;
						pos[n] = LIST(min_seq + 1)
					:: else
					fi
				}
#endif
				if
				:: nr_open[LIST(min_seq)] && flushed_seq != min_seq ->
					flushed_seq = min_seq;
					list = LIST(min_seq)
				:: else ->                                  /* genlru__advance_min */
#if BUG != 13
					d_step {
						nr_open[LIST(min_seq + 1)] = nr_open[LIST(min_seq + 1)] + nr_open[LIST(min_seq)];
						nr_open[LIST(min_seq)] = 0
					}
#endif
					min_seq++
				fi
			:: else
			fi;
			if
			:: list == NONE -> max_seq++; unlock(); break   /* genlru__begin_gen */
			:: else -> unlock(); flush(list)                /* then once more */
			fi
		od;
		flush(NONE)
	}
	done++
}

init {
	byte n, seq, i, age, home;
	atomic {
		for (n : 0 .. NODES - 1) { pos[n] = NONE }
		run adder(); run ager()
	}
	(done == 2);
	atomic {
		if :: open_seq != NONE -> hand_over() :: else fi;
		for (i : 0 .. NL - 1) { assert(nr_open[i] == 0) }                   /* invariant 6 */
		for (n : 0 .. NODES - 1) {
			decode(word[n], max_seq, min_seq, seq);
			assert(seq == (want[n] < min_seq -> min_seq : want[n]));        /* lagging words: invariant 8 */
			assert(IS_IN_WINDOW(pos[n]))                                    /* invariant 10: a scan comes by */
		}
	}
}
#endif

/* SPDX-License-Identifier: MIT */
/*
 * The add's short way: a stripe remembers what its last add was asked and did, and an add like it goes to the same block of
 * the same generation without thinking it over; while generations begin and end, stripes are flushed, blocks are scanned, dropped and
 * opened again for others.
 *
 *   adder     genlru_add: add_as_before; or add_to_stripe (word_after, slot_as_before, genlru__stripe_slot, replace_open,
 *             genlru__publish, genlru__account_add, memorise). An add with a past (a shadow, a refault) never takes the short way
 *             and is not remembered, but may take the slot beside the one that is
 *   ager      genlru_age: make_room (sweep_block, its one flush a generation, genlru__advance_min), genlru__begin_gen,
 *             genlru__flush (flush_stripe, hand_over); genlru__skip_empty
 *   evictor   genlru__scan_list of the oldest generation: its blocks' nodes are isolated, the blocks go to the pool
 *
 * Numbers as in window.pml: words of M codes, lists of NL, a window of at most W. A block has CAP slots, and NB of them are all the
 * memory there is.
 *
 * Asserted: what the memo says is what the long way would do now; the block it names is the stripe's open one, with room. In the end:
 * 1 (each node stands in one slot of a block that is in use), 4 (counters follow words), 6 (open blocks are counted where they
 * will go), 8 (a word means the generation its adder meant, or the oldest), 10 (each node hangs on a list of the window).
 *
 *   BUG 1  a flush leaves the memo              BUG 2  opening another block leaves the memo
 *   BUG 3  the window is not compared           BUG 4  nor how much room is left
 *   BUG 5  nor how the add was asked for        BUG 6  the short way does without the stripe's lock
 */
#ifndef BUG
#define BUG 0
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
#ifndef NODES
#define NODES 3   /* shared out among the adders */
#endif
#ifndef ADDERS
#define ADDERS 1
#endif
#ifndef AGES
#define AGES 3
#endif
#ifndef TURNS
#define TURNS 1   /* of the evictor */
#endif
#define CAP 2
#define NB 3

#define NONE 255
#define CODE(seq) (1 + (seq) % M)
#define LIST(seq) ((seq) % NL)
#define IS_IN_WINDOW(list) (((list) + NL - LIST(min_seq)) % NL <= max_seq - min_seq)
/* Where an add of this kind goes: cold ones to the oldest generation, others to the youngest. */
#define PLACE(how, mx, mn) ((how) -> (mx) : (mn))

#define IS_LIKE_BEFORE ((BUG == 3 || (memo_mx == mx && memo_mn == mn)) && (BUG == 4 || fill[memo_b] < CAP) && (BUG == 5 || memo_how == how))
#define IS_THERE ((BUG == 3 || (memo_mx == mx && memo_mn == mn)) && memo_code == CODE(s) && (BUG == 4 || fill[memo_b] < CAP))

/* Where a block is. */
#define POOL 0
#define OPEN 1
#define LINKED 2

byte max_seq = M + W - 1;
byte min_seq = M;
byte word[NODES];          /* gen code; 0: not added, or evicted */
byte want[NODES];          /* ghost: generation that the last writer meant */
byte in_block[NODES];      /* 0: in none, b + 1 */
byte place[NB], list[NB], fill[NB];
short counter[M + 1];
short nr_open[NL];
byte next_node;

/* The stripe, under its lock. */
byte open_b = NONE, open_seq;
bit has_memo;
byte memo_mx, memo_mn, memo_how, memo_code, memo_b;

byte flushed_seq = NONE;
bit lk, stripe;
byte done;

inline lock()          { atomic { lk == 0 -> lk = 1 } }
inline unlock()        { lk = 0 }
inline stripe_lock()   { atomic { stripe == 0 -> stripe = 1 } }
inline stripe_unlock() { stripe = 0 }

inline decode(code, seq)
{
	d_step {
		age = (CODE(max_seq) >= code -> CODE(max_seq) - code : CODE(max_seq) + M - code);
		if :: age > max_seq - min_seq -> age = max_seq - min_seq :: else fi;
		seq = max_seq - age;
		age = 0
	}
}

/* hand_over. Under both locks; one step, since only lock holders look. */
inline hand_over()
{
	d_step {
		home = (open_seq >= min_seq -> LIST(open_seq) : LIST(min_seq));
		assert(nr_open[home] > 0);
		nr_open[home]--;
		place[open_b] = (fill[open_b] -> LINKED : POOL);
		list[open_b] = home;
		home = 0; open_b = NONE; open_seq = 0
	}
}

/* genlru__stripe_slot: a slot of the open block of generation s; `is_stale`: look at the window again; b = NB: no memory */
inline stripe_slot()
{
	is_stale = 0;
	if
	:: open_b != NONE && open_seq == s && fill[open_b] < CAP -> b = open_b
	:: else ->
		lock();
		is_stale = (s < min_seq);
		if
		:: !is_stale ->
#if BUG != 2
			has_memo = 0;
#endif
			if :: open_b != NONE -> hand_over() :: else fi;
			d_step {
				b = 0;
				do :: b < NB && place[b] != POOL -> b++ :: else -> break od;
				if
				:: b < NB -> place[b] = OPEN; fill[b] = 0; open_b = b; open_seq = s; nr_open[LIST(s)]++
				:: else
				fi
			}
		:: else
		fi;
		unlock()
	fi
}

inline put_into(n, code, block)
{
	word[n] = code;
	d_step { want[n] = s; in_block[n] = block + 1 } /* genlru__publish */
	fill[block]++;
	counter[code]++
}

proctype adder()
{
	byte n, s, mx, mn, how, b, home; bit is_stale, has_past, is_done;
	do
	:: atomic { next_node < NODES -> n = next_node; next_node++ }
		if :: how = 0 :: how = 1 fi;
		if :: has_past = 0 :: has_past = 1 fi;
		is_done = 0;
		if
#if BUG == 6
		:: !has_past ->
#else
		:: atomic { !has_past && stripe == 0 -> stripe = 1 }    /* add_as_before */
#endif
			atomic { mx = max_seq; mn = min_seq }
			s = PLACE(how, mx, mn);
			if
			:: has_memo && IS_LIKE_BEFORE ->
				assert(memo_code == CODE(s));
				assert(memo_b == open_b && place[memo_b] == OPEN && open_seq == s && fill[memo_b] < CAP);
				put_into(n, memo_code, memo_b);
				is_done = 1
			:: else
			fi;
#if BUG != 6
			stripe_unlock()
#endif
		:: true
		fi;
		if
		:: !is_done ->
			stripe_lock();
			do
			:: atomic { mx = max_seq; mn = min_seq }
				s = PLACE(how, mx, mn);
				if
				:: has_memo && IS_THERE ->                          /* slot_as_before */
					assert(memo_b == open_b && place[memo_b] == OPEN && open_seq == s && fill[memo_b] < CAP);
					b = memo_b; break
				:: else
				fi;
				stripe_slot();
				if :: !is_stale -> break :: else fi
			od;
			if
			:: b < NB ->
				put_into(n, CODE(s), b);
				if
				:: !has_past -> d_step { has_memo = 1; memo_mx = mx; memo_mn = mn; memo_how = how; memo_code = CODE(s); memo_b = b }
				:: else
				fi
			:: else                                             /* -ENOMEM */
			fi;
			stripe_unlock()
		:: else
		fi;
		d_step { s = 0; mx = 0; mn = 0; how = 0; b = 0; is_stale = 0; has_past = 0; is_done = 0 }
	:: next_node == NODES -> break
	od;
	done++
}

inline flush(which)
{
	stripe_lock();
#if BUG != 1
	has_memo = 0;
#endif
	lock();
	if
	:: open_b != NONE ->
		d_step { home = (open_seq >= min_seq -> LIST(open_seq) : LIST(min_seq)) }
		if :: which == NONE || home == which -> hand_over() :: else fi
	:: else
	fi;
	unlock();
	stripe_unlock()
}

/* Blocks of the oldest generation move up, and words with them. One step: the lock is held, and hits are window.pml's business. */
inline sweep()
{
	d_step {
		n = 0;
		do
		:: n < NODES ->
			if
			:: in_block[n] && place[in_block[n] - 1] == LINKED && list[in_block[n] - 1] == LIST(min_seq) ->
				age = (CODE(max_seq) >= word[n] -> CODE(max_seq) - word[n] : CODE(max_seq) + M - word[n]);
				if
				:: age >= max_seq - min_seq ->
					counter[word[n]]--; word[n] = CODE(min_seq + 1); counter[word[n]]++;
					want[n] = min_seq + 1
				:: else
				fi;
				age = 0
			:: else
			fi;
			n++
		:: else -> break
		od;
		n = 0;
		do
		:: n < NB -> if :: place[n] == LINKED && list[n] == LIST(min_seq) -> list[n] = LIST(min_seq + 1) :: else fi; n++
		:: else -> break
		od;
		n = 0
	}
}

inline advance_min()
{
	d_step {
		nr_open[LIST(min_seq + 1)] = nr_open[LIST(min_seq + 1)] + nr_open[LIST(min_seq)];
		nr_open[LIST(min_seq)] = 0;
		min_seq++
	}
}

proctype ager()
{
	byte k, n, home, which, age;
	for (k : 1 .. AGES) {
		do
		:: lock();
			which = NONE;
			if
			:: max_seq - min_seq + 1 == W ->                    /* make_room */
				if
				:: nr_open[LIST(min_seq)] && flushed_seq != min_seq -> flushed_seq = min_seq; which = LIST(min_seq)
				:: else -> sweep(); advance_min()
				fi
			:: else
			fi;
			if
			:: which == NONE -> max_seq++; unlock(); break
			:: else -> unlock(); flush(which)
			fi
		od;
		flush(NONE)
	}
	done++
}

proctype evictor()
{
	byte t, n, b, home; bit is_empty;
	for (t : 1 .. TURNS) {
		lock();
		is_empty = 1;
		d_step {                                                /* genlru__scan_list, genlru__chain_drop */
			b = 0;
			do
			:: b < NB ->
				if
				:: place[b] == LINKED && list[b] == LIST(min_seq) ->
					is_empty = 0; n = 0;
					do
					:: n < NODES ->
						if :: in_block[n] == b + 1 -> counter[word[n]]--; word[n] = 0; in_block[n] = 0 :: else fi;
						n++
					:: else -> break
					od;
					n = 0;
					place[b] = POOL; fill[b] = 0; list[b] = 0
				:: else
				fi;
				b++
			:: else -> break
			od;
			b = 0
		}
		if
		:: is_empty && !nr_open[LIST(min_seq)] && max_seq - min_seq + 1 > 2 -> advance_min() /* genlru__skip_empty */
		:: else
		fi;
		unlock();
		if :: flush(NONE) :: true fi
	}
	done++
}

init {
	byte n, i, seq, age, home; short found;
	atomic {
		for (i : 1 .. ADDERS) { run adder() }
		run ager();
		run evictor()
	}
	(done == ADDERS + 2);
	atomic {
		if :: open_b != NONE -> hand_over() :: else fi;
		for (i : 0 .. NL - 1) { assert(nr_open[i] == 0) }                           /* 6 */
		for (n : 0 .. NODES - 1) {
			assert(!word[n] == !in_block[n]);                                       /* 1 */
			if
			:: in_block[n] ->
				assert(place[in_block[n] - 1] == LINKED);
				decode(word[n], seq);
				assert(seq == (want[n] < min_seq -> min_seq : want[n]));            /* 8 */
				assert(IS_IN_WINDOW(list[in_block[n] - 1]))                         /* 10 */
			:: else
			fi
		}
		for (i : 0 .. NB - 1) {
			found = 0;
			for (n : 0 .. NODES - 1) { found = found + (in_block[n] == i + 1) }
			assert(found <= fill[i] && fill[i] <= CAP)                              /* 5 */
		}
		for (i : 1 .. M) {
			found = 0;
			for (n : 0 .. NODES - 1) { found = found + (word[n] == i) }
			assert(counter[i] == found)                                             /* 4 */
		}
	}
}

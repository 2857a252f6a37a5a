/* SPDX-License-Identifier: MIT */
/*
 * hit x isolate x putback x age on one node, with generation indices that are used again: words of M codes, lists of NL, a window of
 * at most W, as in window.pml (M >= 2 W - 1, NL >= W).
 *
 *   access    genlru_impl_access_moving: one load of the word and of the window, a CAS, the counters, refresh if too late; on a
 *             node that is isolated it counts only
 *   evictor   genlru__scan_list (genlru__take; decide: move, isolate; hand_out), then genlru_putback (putback_locked, undo) or, at
 *             the owner's choice, one more look before it
 *   ager      genlru_age: make_room (sweep_block, genlru__advance_min), genlru__begin_gen
 *
 * Asserted, by the numbers of genlru_verify: 3 (what stands in a slot is listed), 4 (counters follow words), 8 (a word means a
 * generation of the window, and the one that its writer meant or the oldest), 10 (the list it hangs on is one of the window); and
 * that the eviction clock is what was isolated and not put back.
 *
 *   BUG 1  putback reads the window before it takes the lock     BUG 2  isolation does not renew its verdict in the swap
 *   BUG 3  putback without the lock                              BUG 4  a hit raises a node that is isolated
 *   BUG 5  putback forgets the counters                          BUG 6  the scan counts the evicted node when it takes the slot
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
#ifndef AGES
#define AGES 5
#endif
#ifndef TURNS
#define TURNS 2
#endif
#ifndef ACCESSES
#define ACCESSES 2
#endif
#define LATE (M + 2 - 2 * W)

#define NONE 255
#define CODE(seq) (1 + (seq) % M)
#define LIST(seq) ((seq) % NL)
#define IS_IN_WINDOW(list) (((list) + NL - LIST(min_seq)) % NL <= max_seq - min_seq)

byte max_seq = M + W - 1;
byte min_seq = M;
byte word;              /* gen code; 0 = isolated */
byte want;              /* ghost: generation that the last writer meant */
byte pos;               /* list that it hangs on; NONE = it stands in no slot */
short counter[M + 1];   /* by gen code; [0] is not used */
short clock;            /* eviction clock */
bit is_out;             /* ghost: isolated and not put back */
bit lk;
byte done;

inline lock()   { atomic { lk == 0 -> lk = 1 } }
inline unlock() { lk = 0 }

inline decode(code, mx, mn, seq)
{
	d_step {
		age = (CODE(mx) >= code -> CODE(mx) - code : CODE(mx) + M - code);
		if :: age > mx - mn -> age = mx - mn :: else fi;
		seq = mx - age;
		age = 0
	}
}

inline swap(code, to)
{
	atomic { ok = (word == code); if :: ok -> word = CODE(to); want = to :: else fi }
}

inline account(code, to)
{
	if
	:: code != 0 && CODE(to) != code -> counter[code]--; counter[CODE(to)]++
	:: else
	fi
}

proctype access()
{
	byte w, mx, mn, to, k, age; bit ok;
	for (k : 1 .. ACCESSES) {
		do
		:: w = word;
#if BUG != 4
			if :: w == 0 -> ok = 0; break :: else fi;   /* it counts, and that is all */
#endif
			atomic { mx = max_seq; mn = min_seq }
			decode(w, mx, mn, to);
			if
			:: to = mx
			:: to < mx -> to++
			fi;
			swap(w, to);
			if :: ok -> break :: else fi
		od;
		if
		:: ok ->
			account(w, to);
			do                                          /* refresh while too late */
			:: max_seq - mx >= LATE ->
				do
				:: w = word; mx = max_seq;
					if :: w == 0 -> ok = 0; break :: else fi;
					swap(w, mx);
					if :: ok -> break :: else fi
				od;
				if :: ok -> account(w, mx) :: else -> break fi
			:: else -> break
			od
		:: else
		fi;
		atomic { w = 0; mx = 0; mn = 0; to = 0; ok = 0 }
	}
	done++
}

proctype evictor()
{
	byte w, seq, k, age, mx, mn; bit ok;
	for (k : 1 .. TURNS) {
		lock();
		if
		:: pos == LIST(min_seq) ->
			pos = NONE;                                 /* genlru__take: the exchange */
#if BUG == 6
			clock++;
#endif
			do
			:: w = word; decode(w, max_seq, min_seq, seq);
				if
				:: seq != min_seq -> pos = LIST(seq); break     /* promoted meanwhile: moved */
				:: else ->
#if BUG == 2
					atomic { word = 0; ok = 1 }
#else
					atomic { ok = (word == w); if :: ok -> word = 0 :: else fi }
#endif
					if
					:: ok ->
						counter[w]--;
						is_out = 1;
#if BUG != 6
						clock++;
#endif
						break
					:: else
					fi
				fi
			od
		:: else
		fi;
		unlock();
		if
		:: is_out ->
#if BUG == 1
			atomic { mx = max_seq; mn = min_seq }
#endif
#if BUG != 3
			lock();
#endif
#if BUG != 1
			atomic { mx = max_seq; mn = min_seq }
#endif
			seq = (mx > mn -> mx - 1 : mx);             /* place.putback: the one below the youngest */
			swap(0, seq);
			assert(BUG != 0 || ok);                     /* nobody else changes an isolated word's gen */
#if BUG != 5
			counter[CODE(seq)]++;
#endif
			clock--;                                    /* undo */
			pos = LIST(seq);                            /* published last */
			is_out = 0;
#if BUG != 3
			unlock()
#endif
		:: else
		fi;
		atomic { w = 0; seq = 0; ok = 0; mx = 0; mn = 0 }
	}
	done++
}

proctype ager()
{
	byte w, k, seq, age; bit ok;
	for (k : 1 .. AGES) {
		lock();
		if
		:: max_seq - min_seq + 1 == W ->
			if
			:: pos == LIST(min_seq) ->                  /* sweep_block: taken, brought up, published in its slot again */
				do
				:: w = word; decode(w, max_seq, min_seq, seq);
					if
					:: seq > min_seq -> break
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
		assert(pos == NONE || IS_IN_WINDOW(pos));       /* invariant 10 */
		unlock();
		atomic { w = 0; seq = 0; ok = 0 }
	}
	done++
}

init {
	byte seq, i, age;
	atomic {
		word = CODE(min_seq); want = min_seq; pos = LIST(min_seq); counter[word] = 1;
		run access(); run evictor(); run ager()
	}
	(done == 3);
	atomic {
		assert(word != 0 && pos != NONE);                                   /* invariant 3: put back, it is listed and stands */
		for (i : 1 .. M) { assert(counter[i] == (word == i -> 1 : 0)) }     /* invariant 4 */
		decode(word, max_seq, min_seq, seq);
		assert(seq == (want < min_seq -> min_seq : want));                  /* invariant 8 */
		assert(IS_IN_WINDOW(pos));                                          /* invariant 10 */
		assert(clock == 0)
	}
}

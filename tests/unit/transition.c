/* SPDX-License-Identifier: MIT */
/*
 * Every change of the word, enumerated: gen codes (none, each age of the window, two that lag behind it) x refs x
 * all 512 flag combinations x type, owner bits, freq and epoch, for every preset and a custom policy, in windows of
 * several widths whose youngest code stands on both sides of the wrap at 127.
 *
 * What is right is spelled here a second time: states and errors from the transition table of genlru/lru.h,
 * places and caps from genlru/policy.h, the hit of each preset from its published rules. Illegal words
 * (which no transition makes) must keep their type and owner bits, and that is all that is asked of them.
 */
#include "state/transition.h"

#include "genlru/impl/hit.h"

#include "unit.h"

struct world {
    struct genlru__context context;
    const struct genlru_policy *policy;
    unsigned width, nr_gens, epoch;
    unsigned code_of_age[GENLRU_GEN_MODULUS];
    unsigned age_of_code[GENLRU_GEN_MODULUS + 1]; /* clamped to the window */
    struct genlru_saturated saturated;
    struct genlru_view view; /* what genlru_impl_only_rises reads */
};

static struct genlru_policy custom;

static const struct genlru_policy *policy_of(unsigned i)
{
    static const struct genlru_policy *const presets[] = {&GENLRU_POLICY_MGLRU, &GENLRU_POLICY_MGLRU_OLD,
                                                          &GENLRU_POLICY_MGLRU_FG, &GENLRU_POLICY_DEFAULT};

    if (i < 4)
        return presets[i];
    if (i > 4) /* what a learning lru runs on: second chances, places of refaults, frequencies kept */
        return genlru_policy_rule(i - 5);
    /* frequency, probation, a deferral by three, and no rule at its preset's value */
    custom = GENLRU_POLICY_MGLRU_FG;
    custom.name = "custom";
    custom.hit = (struct genlru_hit_rules){5, 3, 4, 1, 3, 3, 2, 1, 9, {0}};
    custom.mapped = (struct genlru_mapped_rules){2, 4, 1, 3, 1, 0};
    custom.place = (struct genlru_place_rules){-2, -1, 3, 1, 1, 2, -1, 0, 0, 0, 0};
    custom.refault = (struct genlru_refault_rules){2, 4, 1, 3, 50, 1, 0};
    custom.tiers.protect_refs = 1;
    custom.probation = (struct genlru_probation_rules){10, 50, 2, 1, 2, 1, 0, 0};
    return &custom;
}

enum { NR_POLICIES = 13 };

/* A window with max_seq such that its code is `youngest`. */
static struct world world(const struct genlru_policy *policy, unsigned nr_gens, unsigned width, unsigned youngest,
                          unsigned epoch)
{
    uint64_t max_seq = 127 * 1000 + youngest - 1, window = 1 + max_seq % 127;
    struct world w;
    unsigned age;

    for (age = 0; age < 4; age++)
        window |= (uint64_t)width << (8 + 8 * age);
    window |= (uint64_t)epoch << 40 | (max_seq & 0xffff) << 48;
    w.context = (struct genlru__context){window, policy, nr_gens};
    w.policy = policy;
    w.width = width;
    w.nr_gens = nr_gens;
    w.epoch = epoch;
    for (age = 0; age < 127; age++) {
        w.code_of_age[age] = (unsigned)(1 + (max_seq - age) % 127);
        w.age_of_code[w.code_of_age[age]] = age < width ? age : width - 1;
    }
    w.saturated = genlru__saturated(policy, window);
    w.view.window = window;
    genlru__rises(&policy->hit, &w.view.rises_below, &w.view.rises_below_youngest);
    return w;
}

/* ---- the spelling of what is right ------------------------------------------------------------------ */

enum state { OFF, LISTED, PARKED, ISOLATED, CONDEMNED };

static enum state state_of(uint32_t word)
{
    if (genlru_impl_gen(word))
        return LISTED;
    if (word & GENLRU_PINNED)
        return word & GENLRU_DEAD ? CONDEMNED : PARKED;
    return word & GENLRU_ISOLATED ? ISOLATED : OFF;
}

static bool is_legal(const struct world *w, uint32_t word)
{
    enum state state = state_of(word);

    if (genlru_impl_refs(word) > w->policy->hit.refs_max)
        return false;
    if (w->policy->hit.freq_max && genlru_impl_freq(word) > w->policy->hit.freq_max)
        return false;
    if ((word & GENLRU_ISOLATED) && state != ISOLATED)
        return false;
    if ((word & GENLRU_PROBATION) && state != LISTED)
        return false;
    return !(word & GENLRU_DEAD) || state == ISOLATED || state == CONDEMNED;
}

static unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static uint32_t with_refs(uint32_t word, unsigned refs)
{
    return (word & ~UINT32_C(0x780)) | refs << 7;
}

static uint32_t with_code(uint32_t word, unsigned code)
{
    return (word & ~UINT32_C(0x7f)) | code;
}

/* policy.h: k >= 0 counts up from the bottom of a full window, k < 0 down from the youngest; clamped to the window. */
static unsigned code_of_place(const struct world *w, int place)
{
    int64_t max = 1000, min_seq = max - w->width + 1;
    int64_t seq = place >= 0 ? max - w->nr_gens + 1 + place : max + 1 + place;

    seq = seq < min_seq ? min_seq : seq > max ? max : seq;
    return w->code_of_age[max - seq];
}

/* impl/state.h: halved once for each epoch it is behind. */
static uint32_t count_freq(const struct world *w, uint32_t word)
{
    unsigned freq = word >> 11 & 15, behind = (w->epoch - (word >> 15 & 7)) & 7;

    while (behind-- > 0)
        freq /= 2;
    freq = min(freq + 1, w->policy->hit.freq_max);
    return (word & ~UINT32_C(0x3f800)) | freq << 11 | (w->epoch & 7) << 15;
}

/* algorithms: MGLRU's read() channel. To 4, then the working set; never a move. */
static uint32_t hit_mglru(uint32_t word)
{
    unsigned refs = genlru_impl_refs(word);

    if (word & GENLRU_NOREUSE)
        return word;
    word &= ~GENLRU_PREFETCHED;
    return refs < 4 ? with_refs(word, refs + 1) : word | GENLRU_WORKINGSET;
}

/* algorithms: FG's count rule, deferral out of the oldest two generations. */
static uint32_t hit_fg(const struct world *w, uint32_t word)
{
    unsigned r = genlru_impl_refs(word) + 1, gen = genlru_impl_gen(word), age;

    if (word & GENLRU_NOREUSE)
        return word;
    word &= ~GENLRU_PREFETCHED;
    age = gen ? w->age_of_code[gen] : 0;
    if (!gen || (word & GENLRU_PROBATION) || age == 0) /* a */
        return with_refs(word, min(r, 7));
    if (r > 7) /* b */
        return with_code(with_refs(word, 3), w->code_of_age[age - 1]);
    if (age + 2 >= w->width && r >= 2) /* c */
        return with_code(with_refs(word, min(r, 3)), w->code_of_age[age - 1]);
    return with_refs(word, r); /* d */
}

/* policy.h's words about each field, for any policy. */
static uint32_t hit_by_rules(const struct world *w, uint32_t word)
{
    const struct genlru_hit_rules *hit = &w->policy->hit;
    unsigned r = genlru_impl_refs(word) + 1, gen = genlru_impl_gen(word), age;
    bool over = r > hit->refs_max;

    if (word & GENLRU_NOREUSE)
        return word;
    word &= ~GENLRU_PREFETCHED;
    if (hit->freq_max)
        word = count_freq(w, word);
    if (over && hit->saturate_marks)
        word |= GENLRU_WORKINGSET;
    r = min(r, hit->refs_max);
    if (!gen || (word & GENLRU_PROBATION))
        return with_refs(word, r);
    age = w->age_of_code[gen];
    if (age > 0 && over && hit->overflow_up)
        return with_code(with_refs(word, hit->overflow_refs), w->code_of_age[age - min(age, hit->overflow_up)]);
    if (age > 0 && hit->defer_gens && age + hit->defer_gens >= w->width && r >= hit->defer_refs)
        return with_code(with_refs(word, min(r, hit->promoted_refs)), w->code_of_age[age - min(age, hit->defer_up)]);
    return with_refs(word, r);
}

/* algorithms: FG's page-table channel. */
static uint32_t mapped_fg(const struct world *w, uint32_t word, bool is_dear)
{
    unsigned r = genlru_impl_refs(word) + 1, gen = genlru_impl_gen(word), age;

    if (word & GENLRU_NOREUSE)
        return word;
    word &= ~GENLRU_PREFETCHED;
    if (!gen || (word & GENLRU_PROBATION) || w->age_of_code[gen] == 0)
        return with_refs(word, min(r, 7));
    age = w->age_of_code[gen];
    if (r >= 2 || is_dear)
        age = 0;
    else if (age == w->width - 1)
        age--;
    return with_code(with_refs(word, min(r, 3)), w->code_of_age[age]);
}

/*
 * algorithms: MGLRU's. First time: referenced. Again, or dear: the working set, the youngest generation, refs
 * cleared.
 */
static uint32_t mapped_mglru(const struct world *w, uint32_t word, bool is_dear)
{
    unsigned refs = genlru_impl_refs(word), gen = genlru_impl_gen(word);

    if (word & GENLRU_NOREUSE)
        return word;
    word &= ~GENLRU_PREFETCHED;
    if (!gen || (word & GENLRU_PROBATION))
        return with_refs(word, min(refs + 1, 4));
    if (refs || is_dear || (word & GENLRU_WORKINGSET))
        return with_code(with_refs(word, 0), w->code_of_age[0]) | GENLRU_WORKINGSET;
    return with_code(with_refs(word, 1), w->code_of_age[w->age_of_code[gen]]);
}

static uint32_t mapped_custom(const struct world *w, uint32_t word, bool is_dear)
{
    const struct genlru_mapped_rules *rules = &w->policy->mapped;
    unsigned r = genlru_impl_refs(word) + 1, gen = genlru_impl_gen(word), age;

    if (word & GENLRU_NOREUSE)
        return word;
    word = count_freq(w, word & ~GENLRU_PREFETCHED);
    if (!gen || (word & GENLRU_PROBATION))
        return with_refs(word, min(r, w->policy->hit.refs_max));
    age = w->age_of_code[gen];
    if (is_dear || r >= rules->second_refs || (word & GENLRU_WORKINGSET))
        return with_code(with_refs(word, min(r, rules->promoted_refs)), w->code_of_age[0]) | GENLRU_WORKINGSET;
    if (age == w->width - 1)
        age -= min(age, rules->first_up);
    return with_code(with_refs(word, min(r, rules->refs_cap)), w->code_of_age[age]);
}

/* What the rules of a learning lru share: an access counts, and what is dear goes to the youngest generation. */
static uint32_t mapped_rule(const struct world *w, uint32_t word, bool is_dear)
{
    unsigned r = genlru_impl_refs(word) + 1, gen = genlru_impl_gen(word);

    if (word & GENLRU_NOREUSE)
        return word;
    word = with_refs(count_freq(w, word & ~GENLRU_PREFETCHED), min(r, 15));
    if (!gen || (word & GENLRU_PROBATION) || w->age_of_code[gen] == 0)
        return word;
    return with_code(word, w->code_of_age[is_dear ? 0 : w->age_of_code[gen]]);
}

static uint32_t demoted(const struct world *w, uint32_t word)
{
    word = with_refs(word, 0) & ~GENLRU_WORKINGSET;
    return genlru_impl_gen(word) && !(word & GENLRU_PROBATION) ? with_code(word, code_of_place(w, 0)) : word;
}

static uint32_t advised(const struct world *w, uint32_t word, enum genlru_advice advice)
{
    switch (advice) {
    case GENLRU_ADVICE_NORMAL:
        return word & ~(GENLRU_NOREUSE | GENLRU_TIER_CAP);
    case GENLRU_ADVICE_WILLNEED:
        word &= ~(GENLRU_NOREUSE | GENLRU_TIER_CAP);
        if (genlru_impl_gen(word) && (word & GENLRU_PROBATION)) {
            unsigned enough = min(w->policy->probation.promote_refs, w->policy->hit.refs_max);

            if (w->policy->probation.duel) /* no resident has more */
                return (word & ~UINT32_C(0x3f800)) | (uint32_t)w->policy->hit.freq_max << 11 | (w->epoch & 7) << 15;
            return with_refs(word, genlru_impl_refs(word) > enough ? genlru_impl_refs(word) : enough);
        }
        if (genlru_impl_gen(word) &&
            w->age_of_code[genlru_impl_gen(word)] >= w->age_of_code[code_of_place(w, w->policy->place.hot)])
            word = with_code(word, code_of_place(w, w->policy->place.hot));
        return word;
    case GENLRU_ADVICE_COLD:
        return demoted(w, word);
    case GENLRU_ADVICE_PAGEOUT:
        return demoted(w, word) | GENLRU_TIER_CAP;
    case GENLRU_ADVICE_NOREUSE:
        return word | GENLRU_NOREUSE;
    case GENLRU_ADVICE_SEQUENTIAL: /* more than once: refs above 1, or the working set */
        return genlru_impl_refs(word) > 1 || (word & GENLRU_WORKINGSET) ? word : demoted(w, word);
    case GENLRU_ADVICE_PREFETCHED:
        return with_refs(word, 0) | GENLRU_PREFETCHED;
    }
    return word;
}

/* ---- comparing -------------------------------------------------------------------------------------- */

#define UNTOUCHED UINT32_C(0xdeadbeef)
#define ALWAYS_KEPT (GENLRU_TYPE_MASK | GENLRU_OWNER_MASK)

static void expect(const struct world *w, const char *what, uint32_t word, int got, uint32_t ret, int want,
                   uint32_t want_word)
{
    unit_check(got == want && ret == (want ? UNTOUCHED : want_word),
               "%s of %08x (%s, width %u of %u, youngest %u): %d %08x, expected %d %08x", what, (unsigned)word,
               w->policy->name, w->width, w->nr_gens, w->code_of_age[0], got, (unsigned)ret, want,
               (unsigned)(want ? UNTOUCHED : want_word));
}

static uint32_t unlisted(uint32_t word)
{
    return word & ~(UINT32_C(0x7f) | GENLRU_PROBATION);
}

/* The three decays, in words: all but the add's access; half of what is beyond it; one. */
static unsigned kept_refs(const struct genlru_policy *p, unsigned refs)
{
    if (refs == 0)
        return 0;
    if (p->keep.decay == GENLRU_DECAY_ALL)
        return 1;
    if (p->keep.decay == GENLRU_DECAY_HALF)
        return (refs + 1) / 2;
    return refs == 1 ? 1 : refs - 1;
}

/* By count: used once +0, 2 or 3 times +1, 4 to 7 times +2, more +3. */
static unsigned kept_up(const struct genlru_policy *p, unsigned refs)
{
    unsigned used = refs ? refs - 1 : 0;

    return p->keep.up + (p->keep.up_doubling ? (used >= 2) + (used >= 4) + (used >= 8) : 0);
}

static void check_membership(const struct world *w, uint32_t word)
{
    static const struct genlru__past no_past = {false, 0, 0, false, false};
    enum state state = state_of(word);
    bool is_pinned = word & GENLRU_PINNED, on_probation = word & GENLRU_PROBATION;
    unsigned age = state == LISTED ? w->age_of_code[genlru_impl_gen(word)] : 0;
    const struct genlru_policy *p = w->policy;
    uint32_t ret, want;
    int got;

    ret = UNTOUCHED;
    if (state != OFF) {
        got = genlru__word_add(word, &w->context, 0, &no_past, false, &ret);
        expect(w, "add", word, got, ret, state == LISTED || state == PARKED ? -EEXIST : -EBUSY, 0);
    }
    ret = UNTOUCHED;
    got = genlru__word_del(word, &ret);
    want = state == OFF ? word : unlisted(word) | (is_pinned ? GENLRU_DEAD : 0);
    expect(w, "del", word, got, ret, state == ISOLATED || state == CONDEMNED ? -EBUSY : 0, want);

    ret = UNTOUCHED;
    got = genlru__word_isolate(word, &ret);
    expect(w, "isolate", word, got, ret,
           state != LISTED ? -EPERM
           : is_pinned     ? -EBUSY
                           : 0,
           unlisted(word) | GENLRU_ISOLATED);
    ret = UNTOUCHED;
    got = genlru__word_park(word, &ret);
    expect(w, "park", word, got, ret, state == LISTED && is_pinned ? 0 : -EPERM, unlisted(word));
    ret = UNTOUCHED;
    got = genlru__word_pin(word, &ret);
    expect(w, "pin", word, got, ret,
           state == OFF                    ? -ENOENT
           : state == LISTED && !is_pinned ? 0
                                           : -EBUSY,
           word | GENLRU_PINNED);

    want = word & ~(GENLRU_PINNED | GENLRU_DEAD);
    if (state == PARKED)
        want = with_code(want, code_of_place(w, p->place.putback));
    ret = UNTOUCHED;
    got = genlru__word_unpin(word, &w->context, true, &ret);
    expect(w, "unpin", word, got, ret, is_pinned ? 0 : -EPERM, want);
    ret = UNTOUCHED;
    got = genlru__word_unpin(word, &w->context, false, &ret);
    expect(w, "unpin without slot", word, got, ret, is_pinned ? 0 : -EPERM, word & ~(GENLRU_PINNED | GENLRU_DEAD));

    ret = UNTOUCHED;
    got = genlru__word_condemn(word, &ret);
    expect(w, "condemn", word, got, ret, state == ISOLATED ? 0 : -EPERM, word | GENLRU_DEAD);
    ret = UNTOUCHED;
    got = genlru__word_putback(word, &w->context, &ret);
    want = with_refs(word & ~GENLRU_ISOLATED, min(genlru_impl_refs(word), p->tiers.protect_refs));
    expect(w, "putback", word, got, ret, state == ISOLATED && !(word & GENLRU_DEAD) ? 0 : -EPERM,
           with_code(want, code_of_place(w, p->place.putback)));

    ret = UNTOUCHED;
    got = genlru__word_protect(word, &w->context, &ret);
    want = with_refs(word, min(genlru_impl_refs(word), p->tiers.protect_refs));
    expect(w, "protect", word, got, ret, state == LISTED && !on_probation && age == w->width - 1 ? 0 : -EPERM,
           with_code(want, w->code_of_age[w->width - 2]));
    ret = UNTOUCHED;
    got = genlru__word_keep(word, &w->context, &ret);
    want = with_refs(word, kept_refs(p, genlru_impl_refs(word)));
    expect(w, "keep", word, got, ret, state == LISTED && !on_probation && age == w->width - 1 ? 0 : -EPERM,
           with_code(want, w->code_of_age[w->width - 1 - min(w->width - 1, kept_up(p, genlru_impl_refs(word)))]));
    ret = UNTOUCHED;
    got = genlru__word_graduate(word, &w->context, &ret);
    want = with_refs(word & ~GENLRU_PROBATION, min(genlru_impl_refs(word), p->probation.promoted_refs));
    expect(w, "graduate", word, got, ret, state == LISTED && on_probation ? 0 : -EPERM,
           with_code(want, code_of_place(w, p->probation.place)));
    ret = UNTOUCHED;
    got = genlru__word_refresh(word, &w->context, &ret);
    expect(w, "refresh", word, got, ret, state == LISTED && !on_probation ? 0 : -EPERM,
           with_code(word, w->code_of_age[0]));
    ret = UNTOUCHED;
    got = genlru__word_settle(word, &w->context, &ret);
    expect(w, "settle", word, got, ret, state == LISTED && !on_probation ? 0 : -EPERM,
           with_code(word, w->code_of_age[age]));
}

static bool is_published(const struct world *w, const struct genlru_policy *preset)
{
    return w->policy == preset;
}

static void check_access(const struct world *w, uint32_t word)
{
    uint32_t hit = genlru_impl_word_hit(word, w->context.window, &w->policy->hit), want, ret;
    unsigned gen = genlru_impl_gen(word);
    int dear;

    want = hit_by_rules(w, word);
    if (is_published(w, &GENLRU_POLICY_MGLRU) || is_published(w, &GENLRU_POLICY_MGLRU_OLD))
        want = hit_mglru(word);
    else if (is_published(w, &GENLRU_POLICY_MGLRU_FG))
        want = hit_fg(w, word);
    expect(w, "hit", word, 0, hit, 0, want);
    if (gen) {
        unit_check(w->age_of_code[genlru_impl_gen(hit)] <= w->age_of_code[gen], "a hit made %08x older: %08x",
                   (unsigned)word, (unsigned)hit);
    } else {
        unit_check(genlru_impl_gen(hit) == 0, "a hit listed %08x", (unsigned)word);
    }
    /* saturated: no access changes it. The other way round for each listed word, but for NOREUSE ones, and for old
     * ones of a policy that moves nodes: those do not count as saturated, whatever their refs are */
    if (genlru_impl_is_saturated(word, w->saturated))
        unit_check((hit == word || (word & GENLRU_NOREUSE)) && !(word & GENLRU_SAMPLED), "saturated %08x became %08x",
                   (unsigned)word, (unsigned)hit);
    else if (gen && !(word & (GENLRU_NOREUSE | GENLRU_PROBATION | GENLRU_SAMPLED)) &&
             (gen == w->code_of_age[0] || !(w->policy->hit.overflow_up | w->policy->hit.defer_gens)))
        unit_check(hit != word, "%08x does not change, but is not saturated", (unsigned)word);
    /* what the inlined hit takes for a mere count is one; and below both bounds it sees all that are, but for freq */
    if (genlru_impl_only_rises(&w->view, word))
        unit_check(hit == word + (UINT32_C(1) << GENLRU_REFS_SHIFT), "rising %08x became %08x", (unsigned)word,
                   (unsigned)hit);
    else if (!w->policy->hit.freq_max && !(word & (GENLRU_NOREUSE | GENLRU_PREFETCHED | GENLRU_SAMPLED)) &&
             genlru_impl_refs(word) == 0)
        unit_check(w->policy->hit.defer_gens && w->policy->hit.defer_refs < 2, "%08x should rise", (unsigned)word);

    for (dear = 0; dear < 2; dear++) {
        int got;

        if (is_published(w, &GENLRU_POLICY_MGLRU) || is_published(w, &GENLRU_POLICY_MGLRU_OLD))
            want = mapped_mglru(w, word, dear);
        else if (w->policy->full_window)
            want = mapped_rule(w, word, dear);
        else if (w->policy == &custom)
            want = mapped_custom(w, word, dear);
        else
            want = mapped_fg(w, word, dear); /* the default policy's is the same */
        ret = UNTOUCHED;
        got = genlru__word_mapped(word, &w->context, dear, &ret);
        expect(w, dear ? "mapped, dear" : "mapped", word, got, ret, 0, want);
    }
}

static void check_advice(const struct world *w, uint32_t word)
{
    uint32_t ret;
    int advice, got;

    for (advice = GENLRU_ADVICE_NORMAL; advice <= GENLRU_ADVICE_PREFETCHED; advice++) {
        ret = UNTOUCHED;
        got = genlru__word_advise(word, &w->context, (enum genlru_advice)advice, &ret);
        expect(w, "advise", word, got, ret, 0, advised(w, word, (enum genlru_advice)advice));
        unit_check(state_of(ret) == state_of(word), "advice %d changed the state of %08x", advice, (unsigned)word);
    }
    ret = UNTOUCHED;
    got = genlru__word_advise(word, &w->context, (enum genlru_advice)7, &ret);
    expect(w, "unknown advice", word, got, ret, -EINVAL, 0);
}

/* An illegal word: whatever is answered, what belongs to others is kept. */
static void check_illegal(const struct world *w, uint32_t word)
{
    uint32_t ret[5] = {word, word, word, word, word};
    unsigned i;

    ret[0] = genlru_impl_word_hit(word, w->context.window, &w->policy->hit);
    (void)genlru__word_mapped(word, &w->context, true, &ret[1]);
    (void)genlru__word_del(word, &ret[2]);
    (void)genlru__word_isolate(word, &ret[3]);
    (void)genlru__word_unpin(word, &w->context, true, &ret[4]);
    for (i = 0; i < 5; i++)
        unit_check(((ret[i] ^ word) & ALWAYS_KEPT) == 0, "%u: %08x lost what is not the library's: %08x", i,
                   (unsigned)word, (unsigned)ret[i]);
    unit_check(genlru_impl_refs(ret[0]) <= w->policy->hit.refs_max || (word & GENLRU_NOREUSE), "refs of %08x",
               (unsigned)word);
}

/* freq x epoch in steps: `from` of 12; type and owner bits go along. */
static uint32_t rest_of_word(const struct world *w, unsigned i)
{
    static const unsigned freqs[] = {0, 1, 7, 15}, behind[] = {0, 1, 5};
    unsigned type = i / 12 % 4, owner = i / 48 % 2 ? 5 : 0;

    return freqs[i % 4] << GENLRU_FREQ_SHIFT | ((w->epoch - behind[i / 4 % 3]) & 7) << GENLRU_EPOCH_SHIFT |
           type << GENLRU_TYPE_SHIFT | owner << GENLRU_OWNER_SHIFT;
}

static uint32_t flags_of(unsigned i)
{
    return (uint32_t)i << GENLRU_FLAGS_SHIFT;
}

static uint64_t enumerate(const struct world *w, bool whole_rest)
{
    unsigned codes[GENLRU_MAX_GENS + 3], nr_codes = 0, c, refs, flags, rest, turn = 0;
    uint64_t nr_legal = 0;

    codes[nr_codes++] = 0;
    for (c = 0; c < w->width; c++)
        codes[nr_codes++] = w->code_of_age[c];
    codes[nr_codes++] = w->code_of_age[w->width];      /* just behind the window */
    codes[nr_codes++] = w->code_of_age[w->width + 40]; /* far behind it */
    for (c = 0; c < nr_codes; c++)
        for (refs = 0; refs <= GENLRU_MAX_REFS; refs++)
            for (flags = 0; flags < 512; flags++)
                for (rest = 0; rest < (whole_rest ? 12 : 1); rest++, turn += 7) {
                    uint32_t word = codes[c] | refs << GENLRU_REFS_SHIFT | flags_of(flags) |
                                    rest_of_word(w, whole_rest ? rest + 12 * (turn / 84) : turn);

                    if (!is_legal(w, word)) {
                        check_illegal(w, word);
                        continue;
                    }
                    nr_legal++;
                    check_membership(w, word);
                    check_access(w, word);
                    check_advice(w, word);
                }
    return nr_legal;
}

static const unsigned youngests[] = {1, 2, 63, 126, 127};

static void enumerate_windows(unsigned policy)
{
    static const unsigned windows[][2] = {{3, 2}, {4, 2}, {3, 3}, {4, 3}, {4, 4}};
    const struct genlru_policy *p = policy_of(policy);
    unsigned i, y;

    cr_assert_null(genlru_policy_check(p, 3), "%s", genlru_policy_check(p, 3));
    for (i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
        for (y = 0; y < 5; y++) {
            struct world w = world(p, windows[i][0], windows[i][1], youngests[y], 0xfe + y % 2);

            cr_assert(enumerate(&w, p->hit.freq_max && y % 2 == 0) > 1000);
        }
    for (y = 0; y < 5; y += 2) {
        struct world w = world(p, 64, 64, youngests[y], 3);

        cr_assert(enumerate(&w, false) > 10000);
    }
}

Test(transition, mglru)
{
    enumerate_windows(0);
}

Test(transition, mglru_old)
{
    enumerate_windows(1);
}

Test(transition, mglru_fg)
{
    enumerate_windows(2);
}

Test(transition, default_policy)
{
    enumerate_windows(3);
}

Test(transition, custom)
{
    enumerate_windows(4);
}

/* Three of those that a learning lru chooses among: the duel, counting by doublings, second chances. */
Test(transition, rule_duel)
{
    enumerate_windows(5 + 1);
}

Test(transition, rule_slow_decay)
{
    enumerate_windows(5 + 4);
}

Test(transition, rule_second_chance)
{
    enumerate_windows(5 + 2);
}

/* ---- add -------------------------------------------------------------------------------------------- */

static uint32_t added(const struct world *w, uint32_t word, unsigned flags, const struct genlru__past *past,
                      bool to_probation)
{
    const struct genlru_policy *p = w->policy;
    unsigned refs;
    int place;

    word &= ~(GENLRU_PREFETCHED | GENLRU_NOREUSE | GENLRU_TIER_CAP | GENLRU_SAMPLED);
    if (flags & GENLRU__ADD_SAMPLED)
        word |= GENLRU_SAMPLED;
    if (flags & GENLRU_ADD_NOREUSE)
        word |= GENLRU_NOREUSE;
    if (past->is_recent) {
        word = with_refs(word, min(past->refs, p->refault.refs_cap));
        if (p->refault.keep_workingset && past->workingset)
            word |= GENLRU_WORKINGSET;
        if (p->refault.keep_freq)
            word = (word & ~UINT32_C(0x3f800)) | (uint32_t)past->freq << 11 | (w->epoch & 7) << 15;
    }
    if (flags & GENLRU_ADD_COLD)
        word = with_refs(word, 0);
    if (flags & GENLRU_ADD_PREFETCHED)
        word |= GENLRU_PREFETCHED;
    else if (!(flags & GENLRU_ADD_MAPPED))
        word = hit_by_rules(w, word);
    else if (!(flags & GENLRU_ADD_NOREUSE)) {
        if (p->hit.freq_max)
            word = count_freq(w, word);
        word = with_refs(word, min(genlru_impl_refs(word) + 1, p->hit.refs_max));
    }
    if (flags & GENLRU_ADD_PINNED)
        word |= GENLRU_PINNED;
    refs = genlru_impl_refs(word);
    if (to_probation && !(flags & (GENLRU_ADD_HOT | GENLRU_ADD_COLD)) &&
        !(p->probation.only_prefetched && !(flags & GENLRU_ADD_PREFETCHED)) &&
        !(past->is_recent && p->probation.refault_skips && (past->is_near || p->place.refault_percent == 0)))
        return with_code(word, 1) | GENLRU_PROBATION;
    if (flags & GENLRU_ADD_COLD)
        place = 0;
    else if (flags & GENLRU_ADD_HOT)
        place = p->place.hot;
    else if (p->place.refault_percent && past->is_recent && past->is_near)
        place = p->place.refault;
    else if (past->is_recent && (flags & GENLRU_ADD_MAPPED) && past->workingset)
        place = p->place.fault_workingset;
    else if (past->is_recent && (flags & GENLRU_ADD_MAPPED) && past->refs)
        place = p->place.fault;
    else if ((p->place.warm_refs && refs >= p->place.warm_refs) ||
             (p->place.warm_workingset && (word & GENLRU_WORKINGSET)))
        place = p->place.warm;
    else
        place = p->place.cold;
    return with_code(word, code_of_place(w, place));
}

static void enumerate_adds(const struct world *w)
{
    static const struct genlru__past pasts[] = {
        {false, 0, 0, false, false}, {false, 15, 15, true, false}, {true, 0, 0, false, true},
        {true, 1, 3, false, false},  {true, 2, 9, true, true},     {true, 7, 0, true, false},
        {true, 15, 2, false, true},  {true, 0, 0, true, true},
    };
    unsigned refs, flags, how, past, turn = 0;

    for (refs = 0; refs <= GENLRU_MAX_REFS; refs++)
        for (flags = 0; flags < 512; flags++)
            for (how = 0; how < 128; how++)
                for (past = 0; past < 16; past++, turn += 7) {
                    uint32_t word = refs << GENLRU_REFS_SHIFT | flags_of(flags) | rest_of_word(w, turn);
                    uint32_t ret = UNTOUCHED;
                    int got;

                    if (state_of(word) != OFF || !is_legal(w, with_refs(word, 0)) || (how & 12) == 12)
                        continue;
                    got = genlru__word_add(word, &w->context, how, &pasts[past / 2], past % 2, &ret);
                    unit_check(got == 0 && genlru_impl_refs(ret) <= w->policy->hit.refs_max,
                               "add of %08x with flags %u: %d, refs %u", (unsigned)word, how, got,
                               genlru_impl_refs(ret));
                    unit_check(state_of(ret) == LISTED, "add of %08x: %08x", (unsigned)word, (unsigned)ret);
                    if (is_legal(w, word))
                        expect(w, "add", word, got, ret, 0, added(w, word, how, &pasts[past / 2], past % 2));
                }
}

static void enumerate_adds_of(unsigned policy)
{
    const struct genlru_policy *p = policy_of(policy);
    struct world narrow = world(p, 4, 2, 1, 9), full = world(p, 4, 4, 127, 8), wide = world(p, 64, 63, 62, 0);

    enumerate_adds(&narrow);
    enumerate_adds(&full);
    enumerate_adds(&wide);
}

Test(transition, adds_mglru)
{
    enumerate_adds_of(0);
}

Test(transition, adds_mglru_old)
{
    enumerate_adds_of(1);
}

Test(transition, adds_mglru_fg)
{
    enumerate_adds_of(2);
}

Test(transition, adds_custom)
{
    enumerate_adds_of(4);
}

Test(transition, adds_rules)
{
    unsigned rule;

    for (rule = 0; rule < 8; rule++)
        enumerate_adds_of(5 + rule);
}

static unsigned placed(const struct world *w, unsigned flags, const struct genlru__past *past, uint32_t *ret)
{
    cr_assert(genlru__word_add(0, &w->context, flags, past, false, ret) == 0);
    return w->age_of_code[genlru_impl_gen(*ret)];
}

/* The published placement, in words: a plain first read, a second one, a fault that comes back. */
Test(transition, published_places)
{
    static const struct genlru__past none = {false, 0, 0, false, false}, once = {true, 1, 0, false, false},
                                     twice = {true, 2, 0, true, false};
    struct world fg = world(&GENLRU_POLICY_MGLRU_FG, 4, 4, 50, 0), mg = world(&GENLRU_POLICY_MGLRU, 4, 4, 50, 0),
                 old = world(&GENLRU_POLICY_MGLRU_OLD, 4, 4, 50, 0);
    uint32_t ret;

    /* FG: g = 4 - (refs >= 2): once read goes to the oldest generation, a readahead too */
    cr_assert(placed(&fg, 0, &none, &ret) == 3 && genlru_impl_refs(ret) == 1);
    cr_assert(placed(&fg, GENLRU_ADD_PREFETCHED, &none, &ret) == 3 && genlru_impl_refs(ret) == 0);
    /* a once-read page that refaults through read() is inserted with refs 2: second oldest */
    cr_assert(placed(&fg, 0, &once, &ret) == 2 && genlru_impl_refs(ret) == 2);
    cr_assert(placed(&fg, GENLRU_ADD_MAPPED, &once, &ret) == 1);
    cr_assert(placed(&fg, GENLRU_ADD_MAPPED, &twice, &ret) == 0);
    /* MGLRU: refs = 1 is second oldest, readahead the oldest; the older placement asks for the working set */
    cr_assert(placed(&mg, 0, &none, &ret) == 2);
    cr_assert(placed(&mg, GENLRU_ADD_PREFETCHED, &none, &ret) == 3);
    cr_assert(placed(&old, 0, &none, &ret) == 3);
    cr_assert(placed(&old, 0, &twice, &ret) == 2 && (ret & GENLRU_WORKINGSET));
    cr_assert(placed(&mg, GENLRU_ADD_MAPPED, &twice, &ret) == 0);
}

/* ---- tiers ------------------------------------------------------------------------------------------ */

static unsigned fls(unsigned x)
{
    unsigned n = 0;

    for (; x; x >>= 1)
        n++;
    return n;
}

Test(transition, tiers)
{
    unsigned refs, flags;

    for (refs = 0; refs <= 7; refs++)
        for (flags = 0; flags < 512; flags++) {
            uint32_t word = refs << GENLRU_REFS_SHIFT | flags_of(flags) | 5;
            unsigned fg = refs < 2 ? 0 : fls(refs - 1), mglru = refs < 2 ? 0 : refs == 2 ? 1 : 2;

            if (word & GENLRU_WORKINGSET)
                mglru = 3;
            if (word & GENLRU_TIER_CAP)
                fg = mglru = 0;
            unit_check(genlru__tier_of(word, &GENLRU_POLICY_MGLRU_FG) == fg, "tier of %u refs", refs);
            if (refs <= 4)
                unit_check(genlru__tier_of(word, &GENLRU_POLICY_MGLRU) == mglru, "tier of %u refs", refs);
        }
}

/* The state of each word is a function of gen, PINNED, ISOLATED and DEAD alone. */
Test(transition, states)
{
    static const enum genlru__node_state same_as[] = {GENLRU__OFF, GENLRU__LISTED, GENLRU__PARKED,
                                                      GENLRU__ISOLATED_STATE, GENLRU__CONDEMNED};
    struct world w = world(&GENLRU_POLICY_MGLRU_FG, 4, 4, 3, 0);
    uint32_t word;
    unsigned flags, gen;

    for (gen = 0; gen < 128; gen++)
        for (flags = 0; flags < 512; flags++) {
            word = gen | flags_of(flags);
            if (is_legal(&w, word))
                unit_check(genlru__state_of(word) == same_as[state_of(word)], "state of %08x", (unsigned)word);
        }
}

/* From cold to the youngest: FG takes 8 accesses a promotion out of the middle, 2 out of the two oldest. */
Test(transition, fg_walk)
{
    struct world w = world(&GENLRU_POLICY_MGLRU_FG, 8, 8, 3, 0);
    uint32_t word = w.code_of_age[7];
    unsigned age = 7, accesses = 0, at[8] = {0};

    while (age > 0) {
        word = genlru_impl_word_hit(word, w.context.window, &GENLRU_POLICY_MGLRU_FG.hit);
        accesses++;
        cr_assert(accesses < 100);
        if (w.age_of_code[genlru_impl_gen(word)] != age) {
            cr_assert(w.age_of_code[genlru_impl_gen(word)] == age - 1, "one generation a promotion");
            at[--age] = accesses;
        }
    }
    cr_assert(at[6] == 2, "deferred at the second access");
    cr_assert(at[5] == 3, "and out of the second oldest at the third");
    cr_assert(at[4] == at[5] + 5 && at[3] == at[4] + 5 && at[0] == at[3] + 15, "from refs 3 an overflow takes 5");
}

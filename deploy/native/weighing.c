#include "weighing.h"

#include <string.h>

#define MOST_PLAIN 64      /* ASCII words that are told apart */
#define MOST_WEIGHED 1100  /* pairs, UTF-8 and double-byte encodings; as many encodings at most */

int most_weighed(const Kernel *kernel) { return kernel->pair_count + 1 + kernel->double_count; }

static inline int is_ascii_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

/* ---- What the ASCII words tell ---- */

/* The next ASCII word of 2 to 30 letters with no byte beyond ASCII on either side. 0 when there is none. */
static int next_plain_word(Piece raw, size_t *from, Piece *word)
{
    for (size_t at = *from; at < raw.length;) {
        size_t end = at;
        while (end < raw.length && is_ascii_letter(raw.at[end])) end++;
        if (end - at >= 2 && end - at <= 30 && (!at || raw.at[at - 1] < 0x80) &&
            (end == raw.length || raw.at[end] < 0x80)) {
            *word = (Piece){raw.at + at, end - at};
            *from = end;
            return 1;
        }
        at = end > at ? end : at + 1;
    }
    *from = raw.length;
    return 0;
}

/* The first ASCII words of a record, each once. */
static size_t plain_words(const Weighing *is, const Record *record, Piece *words)
{
    size_t count = 0, most = is->most_words < MOST_PLAIN ? (size_t)is->most_words : MOST_PLAIN;
    for (size_t i = 0; i < record->raw_count; i++) {
        Piece raw = record->raws[i], word;
        if (raw.length > (size_t)is->most_scored) raw.length = (size_t)is->most_scored;
        for (size_t from = 0; count < most && next_plain_word(raw, &from, &word);) {
            size_t known = 0;
            while (known < count &&
                   (words[known].length != word.length || memcmp(words[known].at, word.at, word.length)))
                known++;
            if (known == count) words[count++] = word;
        }
    }
    return count;
}

/* Whether there is hardly any byte beyond ASCII in a record. */
static int is_lone(const Kernel *kernel, const Record *record)
{
    int64_t odd = 0;
    for (int i = 0; i < record->fields.count; i++)
        for (size_t at = 0; record->fields.is_of_record[i] && at < record->priced[i].length; at++)
            odd += record->priced[i].at[at] > 0x7F;
    return odd <= kernel->weighing.lone;
}

/* The shifts of the pairs' priors with what the ASCII words cost in each language; 0, or -1 with an error set. */
static int add_fits(Kernel *kernel, const Record *record, const Piece *words, size_t count, int lone, int32_t *shifts)
{
    int64_t of_language[MOST_WEIGHED];
    if (ascii_costs(kernel, words, count, lone, of_language) < 0) return -1;
    for (int i = 0; i < kernel->pair_count; i++)
        shifts[i] = (record->shifts ? record->shifts[i] : 0) + (int32_t)of_language[kernel->pairs[i].language];
    return 0;
}

/* ---- The hypotheses ---- */

static int add_pairs(Kernel *kernel, const Record *record, const int32_t *shifts, const Choices *always, Weighed *found,
                     int64_t *costs, int64_t *work)
{
    Ranked ranked[MOST_WEIGHED];
    int count = rank_pairs(kernel, &record->fields, shifts, always, ranked, costs, work);
    for (int i = 0; i < count; i++)
        found[i] = (Weighed){ranked[i].pair, kernel->pairs[ranked[i].pair].encoding, ranked[i].prior, -1};
    return count;
}

/* UTF-8 and the double-byte encodings that can read any of what is priced. */
static int add_others(Kernel *kernel, const Record *record, Weighed *found, int count, int64_t *costs, uint32_t *points)
{
    int fields = record->fields.count, utf8 = kernel->pair_count;
    if (record->utf8) {
        memcpy(costs + count * fields, record->utf8, sizeof *costs * (size_t)fields);
        int64_t prior = kernel->weighing.utf8_prior + (record->shifts ? record->shifts[utf8] : 0);
        found[count++] = (Weighed){utf8, kernel->encoding_count, prior, -1};
    }
    for (int i = 0; i < kernel->double_count; i++) {
        int64_t *here = costs + count * fields, length = -1;
        int is_worth = 0;
        for (int place = 0; place < fields; place++) {
            Piece raw = record->priced[place];
            size_t chars = 0;
            here[place] = raw.length ? double_cost(kernel, i, raw.at, raw.length, points, &chars) : 0;
            length = (int64_t)chars;
            if (here[place] == -2) {
                here[place] = kernel->price_double(kernel, i, raw);
                length = -1;
            }
            if (here[place] == -1) return -1;
            is_worth |= here[place] < kernel->is.never;
        }
        int number = utf8 + 1 + i;
        int64_t prior = kernel->doubles[i].prior + (record->shifts ? record->shifts[number] : 0);
        if (is_worth) found[count++] = (Weighed){number, kernel->doubles[i].encoding, prior, length};
    }
    return count;
}

/* What ASCII words cost in the double-byte encodings. */
static void hear_words(const Kernel *kernel, size_t word_count, int lone, Weighed *found, int count)
{
    int64_t total = kernel->is.latin_word * (int64_t)word_count;
    for (int i = 0; i < count; i++)
        if (found[i].number > kernel->pair_count)
            found[i].prior += (total < kernel->is.most_latin ? total : kernel->is.most_latin) * (lone ? 2 : 1);
}

/* A field may be in another language than the record's, in the same encoding. */
static void let_languages_mix(const Weighing *is, const Weighed *found, int count, int64_t *costs, int fields)
{
    for (int i = 0; i < count; i++) {
        int first = 0, several = 0;
        while (found[first].encoding != found[i].encoding) first++;
        if (first < i) continue;
        for (int j = i + 1; j < count; j++) several |= found[j].encoding == found[i].encoding;
        for (int place = 0; several && place < fields; place++) {
            int64_t least = INT64_MAX;
            for (int j = i; j < count; j++)
                if (found[j].encoding == found[i].encoding && costs[j * fields + place] < least)
                    least = costs[j * fields + place];
            for (int j = i; j < count; j++)
                if (found[j].encoding == found[i].encoding && costs[j * fields + place] > least + is->language_switch)
                    costs[j * fields + place] = least + is->language_switch;
        }
    }
}

int weigh_record(Kernel *kernel, const Record *record, Choices *always, Weighed *found, int64_t *costs, int64_t *work,
                 uint32_t *points)
{
    const Weighing *is = &kernel->weighing;
    Piece words[MOST_PLAIN];
    size_t word_count = plain_words(is, record, words);
    int lone = is_lone(kernel, record), fields = record->fields.count;
    int32_t shifts[MOST_WEIGHED];
    if (word_count && add_fits(kernel, record, words, word_count, lone, shifts) < 0) return -1;
    int count = add_pairs(kernel, record, word_count ? shifts : record->shifts, always, found, costs, work);
    if (count < 0) return -1;
    count = add_others(kernel, record, found, count, costs, points);
    if (count < 0) return -1;
    hear_words(kernel, word_count, lone, found, count);
    if (record->may_mix && record->fields.own_count > 1) let_languages_mix(is, found, count, costs, fields);
    return count;
}

/* ---- The choice ---- */

enum { SAME, OTHER, UNSURE };

/* Whether two hypotheses read the same text. */
static int compare_texts(const Kernel *kernel, const Weighed *one, const Weighed *other, Piece raw)
{
    if (one->encoding >= kernel->encoding_count) {
        const Weighed *swap = one;
        one = other;
        other = swap;
    }
    /* The text of the tonal encoding is normalized. */
    int tonal = kernel->weighing.tonal;
    if (one->encoding >= kernel->encoding_count || one->encoding == tonal || other->encoding == tonal) return UNSURE;
    if (other->encoding == kernel->encoding_count) {
        /* A character of UTF-8 beyond ASCII has several bytes, so that its text is shorter. */
        for (size_t at = 0; at < raw.length; at++)
            if (raw.at[at] > 0x7F) return OTHER;
        return UNSURE;
    }
    if (other->encoding > kernel->encoding_count)
        return other->length >= 0 && other->length != (int64_t)raw.length ? OTHER : UNSURE;
    const uint16_t *here = kernel->weighing.characters[one->encoding],
                   *there = kernel->weighing.characters[other->encoding];
    for (size_t at = 0; at < raw.length; at++)
        if (here[raw.at[at]] != there[raw.at[at]]) return OTHER;
    return SAME;
}

/* The cheapest hypothesis that is dearer than `least`, or comes after `last` at the same price; -1 for none. */
static int next_cheapest(const int64_t *totals, int count, int64_t least, int last)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if ((totals[i] > least || (totals[i] == least && i > last)) && (best < 0 || totals[i] < totals[best])) best = i;
    return best;
}

Choice choose(const Kernel *kernel, const Weighed *found, int64_t *costs, int count, Piece raw, int trusted, int declared,
              Rival *rivals, int64_t *totals)
{
    uint8_t is_seen[MOST_WEIGHED] = {0};
    Choice choice = {0, 0, 0, 0, 0};
    int64_t leave = INT64_MAX;
    if (count < 1) return choice;
    for (int i = 0; i < count; i++) {
        totals[i] = costs[i] + found[i].prior - (found[i].encoding == trusted ? kernel->weighing.trusted : 0);
        if (found[i].encoding == declared && totals[i] < leave) leave = totals[i];
    }
    int best = 0;
    for (int i = 1; i < count; i++)
        if (totals[i] < totals[best]) best = i;
    choice.best = found[best].number;
    choice.best_encoding = found[best].encoding;
    choice.over_declared = (leave < INT64_MAX ? leave : kernel->is.never) - totals[best];
    is_seen[found[best].encoding] = 1;
    for (int i = best; (i = next_cheapest(totals, count, totals[i], i)) >= 0;) {
        if (is_seen[found[i].encoding]) continue;
        is_seen[found[i].encoding] = 1;
        if (costs[i] >= kernel->is.never) continue;
        int differs = compare_texts(kernel, &found[best], &found[i], raw);
        if (differs == SAME) continue;
        rivals[choice.rival_count++] = (Rival){found[i].number, totals[i] - totals[best]};
        choice.is_sure = differs == OTHER;
        if (choice.is_sure) break;
    }
    return choice;
}

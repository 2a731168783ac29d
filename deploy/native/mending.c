#include "mending.h"

#include <string.h>

static const End EMPTY = {-1, 0, {0, 0}, {-1, -1}};

/* The end of a text that goes on by a character: the one that is there, or a new one. */
static int end_of(Search *search, int *end_count, int before, uint32_t code)
{
    size_t at = ((uint32_t)before * 0x9E3779B1u ^ code * 0x85EBCA6Bu) >> 7;
    for (;; at++) {
        int number = search->table[at &= search->table_size - 1];
        if (!number) break;
        if (search->ends[number].before == before && search->ends[number].code == code) return number;
    }
    int number = (*end_count)++;
    search->ends[number] = EMPTY;
    search->ends[number].before = before;
    search->ends[number].code = code;
    search->table[at] = number;
    return number;
}

/* Puts a word into a level, unless the same text stands there and costs no more. */
static void put(Search *search, int level, int *counts, const Begun *word)
{
    End *end = &search->ends[word->end];
    Begun *words = search->levels[level % (MOST_USED + 1)];
    int bit = level & 1;
    if (end->levels[bit] != level) {
        end->levels[bit] = level;
        end->places[bit] = counts[level % (MOST_USED + 1)]++;
        words[end->places[bit]] = *word;
    } else if (word->cost < words[end->places[bit]].cost)
        words[end->places[bit]] = *word;
}

/* The cheapest words of a level, the earlier one first where two cost the same. */
static int cheapest(const Begun *words, int count, Begun *beam, int most)
{
    int taken = 0;
    for (int i = 0; i < count; i++) {
        if (taken == most && words[i].cost >= beam[taken - 1].cost) continue;
        int at = taken < most ? taken++ : taken - 1;
        for (; at && beam[at - 1].cost > words[i].cost; at--) beam[at] = beam[at - 1];
        beam[at] = words[i];
    }
    return taken;
}

const Begun *grow(Kernel *kernel, const Gapped *word, int language, Search *search, int *count)
{
    Characters *model = &kernel->characters[language];
    if (!model->is_loaded && kernel->load_characters(kernel, language) < 0) return NULL;
    memset(search->table, 0, search->table_size * sizeof *search->table);
    int counts[MOST_USED + 1] = {1}, end_count = 1;
    search->ends[0] = EMPTY;
    search->levels[0][0] = (Begun){0};
    for (int at = 0; at < word->count; at++) {
        int here = at % (MOST_USED + 1);
        int taken = cheapest(search->levels[here], counts[here], search->beam, word->beam);
        counts[here] = 0;
        for (int i = 0; i < taken; i++) {
            const Begun *begun = &search->beam[i];
            for (int number = word->starts[at]; number < word->starts[at + 1]; number++) {
                const Option *option = &word->options[number];
                int64_t last = begun->last, paid = word->put_in * option->put_in;
                int64_t price = option->is_known ? character_cost(model, &last, option->code)
                                                 : option->code < 0x80 ? word->plain : word->lone;
                Begun longer = {
                    begun->cost + paid + price,
                    begun->paid + paid,
                    begun->least + paid + (option->is_known ? price : 0),
                    option->is_known ? last : 0,
                    begun->put_in + option->put_in,
                    end_of(search, &end_count, begun->end, option->code),
                };
                put(search, at + option->used, counts, &longer);
            }
            if (word->kept[at]) {
                int64_t kept = word->kept[at];
                Begun longer = {
                    begun->cost + kept + word->plain, begun->paid + kept, begun->least + kept, 0, begun->put_in,
                    end_of(search, &end_count, begun->end, '?'),
                };
                put(search, at + 1, counts, &longer);
            }
        }
    }
    *count = counts[word->count % (MOST_USED + 1)];
    return search->levels[word->count % (MOST_USED + 1)];
}

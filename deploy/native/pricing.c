#include "pricing.h"

#include <stdlib.h>
#include <string.h>

static inline int is_ascii_letter(uint8_t byte) { return (uint8_t)((byte | 0x20) - 'a') < 26; }

static inline int is_half(uint8_t byte) { return (byte >= '[' && byte <= '`') || byte == '@' || (byte >= '{' && byte <= '~'); }

int next_odd_word(const uint8_t *raw, size_t length, size_t *from, Piece *word)
{
    size_t start = *from, at = *from;
    while (at < length && raw[at] < 0x80) {
        if (!is_ascii_letter(raw[at])) start = at + 1;
        at++;
    }
    if (at >= length) {
        *from = length;
        return 0;
    }
    /* What may be the second half of a double byte belongs to the word only straight after a byte beyond ASCII. */
    for (at++; at < length; at++)
        if (raw[at] < 0x80 && !is_ascii_letter(raw[at]) && !(is_half(raw[at]) && raw[at - 1] >= 0x80)) break;
    word->at = raw + start;
    word->length = at - start;
    *from = at;
    return 1;
}

/* ---- Words by trigrams and word lists ---- */

static uint32_t crc_table[256];

static void fill_crc_table(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xEDB88320u ^ (crc >> 1) : crc >> 1;
        crc_table[byte] = crc;
    }
}

static int64_t listed(const Letters *model, uint32_t digest, int64_t otherwise)
{
    if (!(model->filter[(digest & 0xFFFF) >> 3] & 1 << (digest & 7))) return otherwise;
    size_t low = model->buckets[digest >> 16], end = model->buckets[(digest >> 16) + 1], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->known[middle] < digest)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && model->known[low] == digest && model->prices[low] < otherwise) return model->prices[low];
    return otherwise;
}

int index_words(Letters *model)
{
    size_t at = 0;
    for (uint32_t bucket = 0; bucket < 256; bucket++) {
        model->buckets[bucket] = (uint32_t)at;
        for (; at < model->known_count && model->known[at] >> 16 == bucket; at++) {
            uint32_t digest = model->known[at];
            if (at && digest < model->known[at - 1]) return -1;
            model->filter[(digest & 0xFFFF) >> 3] |= (uint8_t)(1 << (digest & 7));
        }
    }
    model->buckets[256] = (uint32_t)at;
    return at == model->known_count ? 0 : -1;
}

/* A run of letters as it is spelled: cost so far, the place of the two letters before, the last one, and the CRC of their
 * numbers. */
typedef struct {
    int64_t cost;
    int context, last;
    uint32_t crc;
} Spelling;

static const Spelling UNSPELLED = {0, 0, 0, 0xFFFFFFFFu};

static inline void spell(const Letters *model, Spelling *run, uint8_t number)
{
    run->cost += model->trigrams[run->context * model->size + number];
    run->context = run->last * model->size + number;
    run->last = number;
    run->crc = crc_table[(run->crc ^ number) & 0xFF] ^ run->crc >> 8;
}

static inline int64_t spelled(const Letters *model, const Spelling *run)
{
    return run->cost + model->trigrams[run->context * model->size];
}

static inline int64_t cost_of_run(const Letters *model, const Spelling *run)
{
    return listed(model, (run->crc ^ 0xFFFFFFFFu) & 0xFFFFFF, spelled(model, run));
}

static Letters *loaded(Kernel *kernel, int language)
{
    Letters *model = &kernel->languages[language];
    if (!model->trigrams && kernel->load_letters(kernel, language) < 0) return NULL;
    if (!crc_table[1]) fill_crc_table();
    return model;
}

static int64_t english_cost(Kernel *kernel, Piece part)
{
    const Letters *model = loaded(kernel, kernel->english);
    if (!model) return -1;
    int64_t total = 0;
    Spelling run = UNSPELLED;
    int is_open = 0;
    for (size_t at = 0; at < part.length; at++) {
        uint8_t number = model->ascii_numbers[part.at[at]];
        if (number) {
            spell(model, &run, number);
            is_open = 1;
        } else if (is_open) {
            total += cost_of_run(model, &run);
            run = UNSPELLED;
            is_open = 0;
        }
    }
    return is_open ? total + cost_of_run(model, &run) : total;
}

static int64_t letters_cost(Kernel *kernel, const Pair *pair, Piece part)
{
    const Letters *model = loaded(kernel, pair->language);
    if (!model) return -1;
    int64_t total = 0, foreign = 0, ascii = 0;
    Spelling run = UNSPELLED;
    int is_open = 0, is_spelled = 0;
    for (size_t at = 0; at < part.length; at++) {
        uint8_t byte = part.at[at], number = pair->letters[byte];
        foreign += pair->is_foreign[byte];
        ascii += is_ascii_letter(byte);
        if (number) {
            spell(model, &run, number);
            is_open = is_spelled = 1;
        } else if (is_open) {
            total += cost_of_run(model, &run);
            run = UNSPELLED;
            is_open = 0;
        }
    }
    if (is_open) total += cost_of_run(model, &run);
    if (!pair->is_latin && !is_spelled) {
        total = english_cost(kernel, part);
        if (total < 0) return -1;
        total += kernel->is.latin_word;
    } else if (!pair->is_latin) {
        total += kernel->is.ascii_letter * ascii;
    }
    return total + (pair->is_latin ? kernel->is.foreign : kernel->is.alien) * foreign;
}

static int is_clitic(const Clitics *clitics, Piece part)
{
    if (part.length > MOST_CLITIC) return 0;
    uint8_t small[MOST_CLITIC];
    for (size_t at = 0; at < part.length; at++)
        small[at] = part.at[at] >= 'A' && part.at[at] <= 'Z' ? part.at[at] | 0x20 : part.at[at];
    for (int i = 0; i < clitics->count; i++)
        if (clitics->words[i].length == part.length && !memcmp(clitics->words[i].text, small, part.length)) return 1;
    return 0;
}

/* What stands on one side of an apostrophe; `before` is the part before it, empty for the first. */
static int64_t part_cost(Kernel *kernel, const Pair *pair, Piece before, Piece part, int is_first, int is_followed)
{
    if (!is_first && is_clitic(&kernel->clitics[AFTER], part)) return kernel->is.clitic;
    if (is_followed && is_clitic(&kernel->clitics[BEFORE], part)) return kernel->is.clitic;
    int64_t cost = letters_cost(kernel, pair, part);
    int is_small = part.length && part.at[0] >= 'a' && part.at[0] <= 'z';
    if (cost >= 0 && pair->is_latin && is_small && before.length && !is_clitic(&kernel->clitics[BEFORE], before))
        cost += kernel->is.odd_apostrophe;
    return cost;
}

static int64_t spelled_cost(Kernel *kernel, const Pair *pair, Piece word)
{
    if (pair->apostrophe < 0 || !memchr(word.at, pair->apostrophe, word.length)) return letters_cost(kernel, pair, word);
    int64_t total = 0;
    size_t start = 0;
    Piece before = {word.at, 0};
    for (;;) {
        const uint8_t *end = memchr(word.at + start, pair->apostrophe, word.length - start);
        Piece part = {word.at + start, (end ? (size_t)(end - word.at) : word.length) - start};
        int is_followed = end && (size_t)(end - word.at) + 1 < word.length && end[1] != pair->apostrophe;
        int64_t cost = part_cost(kernel, pair, before, part, start == 0, is_followed);
        if (cost < 0) return -1;
        total += cost;
        if (!end) return total;
        before = part;
        start = (size_t)(end - word.at) + 1;
    }
}

static int64_t class_cost(const Kernel *kernel, const Pair *pair, Piece word)
{
    int64_t total = 0;
    unsigned last = 0;
    for (size_t at = 0; at < word.length; at++) {
        last = (last << 5 | pair->classes[word.at[at]]) & 0x7FFF;
        total += kernel->steps[last];
    }
    return total + kernel->steps[last << 5 & 0x7FFF];
}

int64_t word_cost(Kernel *kernel, const Pair *pair, Piece word)
{
    int64_t cost = spelled_cost(kernel, pair, word);
    if (cost < 0) return -1;
    if ((int64_t)word.length <= kernel->is.longest_acronym) {
        size_t at = 0;
        while (at < word.length && pair->is_capital[word.at[at]]) at++;
        int64_t acronym = kernel->is.acronym + kernel->is.acronym_letter * (int64_t)word.length;
        if (at == word.length && acronym < cost) cost = acronym;
    }
    return cost + class_cost(kernel, pair, word);
}

static inline int symbol_of(uint8_t letter) { return letter == 'I' ? SYMBOLS - 1 : (letter | 0x20) - 'a' + 1; }

static int fill_plain(Kernel *kernel)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzI";
    size_t count = (size_t)kernel->language_count;
    for (int language = 0; language < kernel->language_count; language++) {
        if (!kernel->languages[language].is_latin) continue;
        const Letters *model = loaded(kernel, language);
        if (!model) return -1;
        int numbers[SYMBOLS] = {0};
        for (int i = 1; i < SYMBOLS; i++) numbers[i] = model->ascii_numbers[(uint8_t)letters[i - 1]];
        uint8_t *to = kernel->plain + language;
        for (int i = 0; i < SYMBOLS * SYMBOLS * SYMBOLS; i++, to += count) {
            int context = numbers[i / SYMBOLS / SYMBOLS] * model->size + numbers[i / SYMBOLS % SYMBOLS];
            *to = model->trigrams[context * model->size + numbers[i % SYMBOLS]];
        }
    }
    kernel->is_plain_filled = 1;
    return 0;
}

/* What a word costs in each Latin language. */
static void plain_costs(const Kernel *kernel, Piece word, int64_t *costs)
{
    uint16_t spelled[1024] = {0}; /* at most 255 for each letter and the end */
    int count = kernel->language_count, context = 0;
    for (size_t at = 0; at <= word.length; at++) {
        int symbol = at < word.length ? symbol_of(word.at[at]) : 0, place = context * SYMBOLS + symbol;
        const uint8_t *row = kernel->plain + (size_t)place * (size_t)count;
        for (int i = 0; i < count; i++) spelled[i] = (uint16_t)(spelled[i] + row[i]);
        context = place % (SYMBOLS * SYMBOLS);
    }
    for (int i = 0; i < count; i++) {
        const Letters *model = &kernel->languages[i];
        if (!model->is_latin) continue;
        uint32_t crc = 0xFFFFFFFFu;
        for (size_t at = 0; at < word.length; at++)
            crc = crc_table[(crc ^ model->ascii_numbers[word.at[at]]) & 0xFF] ^ crc >> 8;
        costs[i] = listed(model, (crc ^ 0xFFFFFFFFu) & 0xFFFFFF, spelled[i]);
    }
}

int ascii_costs(Kernel *kernel, const Piece *words, size_t count, int is_lone, int64_t *costs)
{
    const Constants *is = &kernel->is;
    if (!kernel->is_plain_filled && fill_plain(kernel) < 0) return -1;
    int64_t here[1024], other = is->latin_word * (int64_t)count;
    memset(costs, 0, sizeof *costs * (size_t)kernel->language_count);
    for (size_t word = 0; word < count; word++) {
        plain_costs(kernel, words[word], here);
        for (int i = 0; i < kernel->language_count; i++) {
            if (!kernel->languages[i].is_latin) continue;
            int64_t difference = here[kernel->english] - here[i] - is->least_difference;
            if (difference < 0) difference = 0;
            if (difference >= (int64_t)kernel->gain_count) difference = (int64_t)kernel->gain_count - 1;
            costs[i] += kernel->gains[difference];
        }
    }
    for (int i = 0; i < kernel->language_count; i++)
        if (!kernel->languages[i].is_latin)
            costs[i] = (other < is->most_latin ? other : is->most_latin) * (is_lone ? 2 : 1);
        else if (costs[i] < -2 * is->most_gain)
            costs[i] = -2 * is->most_gain;
    return 0;
}

/* ---- The first pass, and the choice ---- */

static inline uint8_t step_cost(const Kernel *kernel, const Pair *pair, uint8_t first, uint8_t second)
{
    const Letters *model = &kernel->languages[pair->language];
    return (uint8_t)(kernel->half[model->bigrams[pair->letters[first] * model->size + pair->letters[second]]] +
                     kernel->half[kernel->pair_steps[pair->classes[first] << 5 | pair->classes[second]]] +
                     pair->extra[second]);
}

static const uint8_t *row_of(Kernel *kernel, uint8_t first, uint8_t second)
{
    uint32_t key = 0x10000u | (uint32_t)first << 8 | second;
    Row *row = &kernel->rows[((first * 0x9E3779B1u ^ second * 0x85EBCA6Bu) >> 15) & (ROWS - 1)];
    if (row->key != key) {
        const Columns *is = &kernel->columns;
        size_t count = (size_t)kernel->pair_count, from = first * count, to = second * count;
        for (size_t i = 0; i < count; i++)
            row->costs[i] = (uint8_t)(kernel->half[is->bigrams[i][is->letters[from + i] * is->sizes[i] + is->letters[to + i]]] +
                                      kernel->half[kernel->pair_steps[is->classes[from + i] << 5 | is->classes[to + i]]] +
                                      is->extras[to + i]);
        row->key = key;
    }
    return row->costs;
}

void first_pass(Kernel *kernel, Piece word, int64_t *lanes)
{
    size_t length = word.length < (size_t)kernel->is.longest_word ? word.length : (size_t)kernel->is.longest_word;
    uint16_t sums[1024]; /* at most 255 for each byte and the end */
    int count = kernel->pair_count;
    memset(sums, 0, sizeof *sums * (size_t)count);
    uint8_t last = ' ';
    for (size_t at = 0; at <= length; at++) {
        uint8_t byte = at < length ? word.at[at] : ' ';
        const uint8_t *costs = row_of(kernel, last, byte);
        for (int i = 0; i < count; i++) sums[i] = (uint16_t)(sums[i] + costs[i]);
        last = byte;
    }
    for (int i = 0; i < count; i++) lanes[i] += sums[i];
}

/* The same for one pair. */
static int64_t first_pass_of(const Kernel *kernel, const Pair *pair, Piece word)
{
    size_t length = word.length < (size_t)kernel->is.longest_word ? word.length : (size_t)kernel->is.longest_word;
    int64_t total = 0;
    uint8_t last = ' ';
    for (size_t at = 0; at <= length; at++) {
        uint8_t byte = at < length ? word.at[at] : ' ';
        total += step_cost(kernel, pair, last, byte);
        last = byte;
    }
    return total;
}

static inline int64_t floor_divide(int64_t number, int64_t by)
{
    int64_t quotient = number / by;
    return number % by < 0 ? quotient - 1 : quotient;
}

/* The prior of a pair in the first pass. */
static inline int64_t prior_lane(const Kernel *kernel, int pair, const int32_t *shifts)
{
    int64_t prior = kernel->pairs[pair].prior_lane;
    return shifts && shifts[pair] ? prior + floor_divide(shifts[pair] * kernel->is.lane_step, kernel->is.step) : prior;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Marks with `mark` the pairs within the gate, cheapest first, a few of each encoding. `near` has room for all. */
static void choose_least(const Kernel *kernel, const int64_t *costs, int64_t gate, int64_t most, uint8_t mark,
                         uint8_t *marks, int64_t *near)
{
    int64_t limit = costs[0];
    for (int i = 1; i < kernel->pair_count; i++)
        if (costs[i] < limit) limit = costs[i];
    limit += gate;
    size_t count = 0;
    for (int i = 0; i < kernel->pair_count; i++)
        if (costs[i] <= limit) near[count++] = costs[i] * 1024 + i;
    qsort(near, count, sizeof *near, by_size);
    uint16_t taken[1024] = {0};
    for (size_t i = 0; i < count; i++) {
        int number = (int)(near[i] & 1023), encoding = kernel->pairs[number].encoding;
        int is_western = encoding == kernel->declared_encoding;
        if (taken[encoding] < (is_western ? kernel->is.most_western : kernel->is.most_languages) && (is_western || most)) {
            taken[encoding]++;
            marks[number] |= mark;
            most -= !is_western;
        }
    }
}

enum { CHOSEN = 1, STAYING = 2 };

int rank_pairs(Kernel *kernel, const Fields *fields, const int32_t *shifts, const Choices *always, Ranked *ranked,
               int64_t *costs, int64_t *work)
{
    const Constants *is = &kernel->is;
    int count = kernel->pair_count;
    int64_t *together = work, *lanes = work + count, *near = work + 2 * count;
    uint8_t marks[1024] = {0};
    for (int i = 0; i < count; i++) together[i] = prior_lane(kernel, i, shifts);
    size_t word = 0;
    for (int place = 0; place < fields->count; place++) {
        int is_field = fields->own_count > 1 && place < fields->own_count;
        if (!is_field && !fields->is_of_record[place]) {
            while (word < fields->word_count && fields->places[word] == place) word++;
            continue;
        }
        memset(lanes, 0, sizeof *lanes * (size_t)count);
        for (; word < fields->word_count && fields->places[word] == place; word++)
            first_pass(kernel, fields->words[word], lanes);
        if (fields->is_of_record[place])
            for (int i = 0; i < count; i++) together[i] += lanes[i];
        if (is_field) {
            for (int i = 0; i < count; i++) lanes[i] += prior_lane(kernel, i, shifts);
            choose_least(kernel, lanes, is->field_gate, is->field_pairs, CHOSEN | STAYING, marks, near);
        }
    }
    choose_least(kernel, together, is->gate, is->most_pairs, CHOSEN, marks, near);
    for (int i = 0; i < always->count; i++) {
        int cheapest = always->numbers[always->starts[i]];
        for (int at = always->starts[i] + 1; at < always->starts[i + 1]; at++)
            if (together[always->numbers[at]] < together[cheapest]) cheapest = always->numbers[at];
        marks[cheapest] = CHOSEN | STAYING;
    }
    int near_count = 0, found = 0;
    for (int i = 0; i < count; i++)
        if (marks[i]) near[near_count++] = together[i] * 1024 + i;
    qsort(near, (size_t)near_count, sizeof *near, by_size);
    int64_t least = is->never;
    for (int i = 0; i < near_count; i++) {
        int number = (int)(near[i] & 1023);
        if (together[number] > least && !(marks[number] & STAYING)) continue;
        const Pair *pair = &kernel->pairs[number];
        int64_t *here = costs + (int64_t)found * fields->count, sum = 0;
        memset(here, 0, sizeof *here * (size_t)fields->count);
        for (word = 0; word < fields->word_count; word++) {
            int64_t cost = word_cost(kernel, pair, fields->words[word]);
            if (cost < 0) return -1;
            here[fields->places[word]] += cost;
            if (fields->is_of_record[fields->places[word]]) sum += cost;
        }
        ranked[found].pair = number;
        ranked[found].prior = pair->prior + (shifts ? shifts[number] : 0);
        int64_t worst = floor_divide((ranked[found].prior + sum + is->hopeless) * is->lane_step, is->step);
        if (worst < least) least = worst;
        found++;
    }
    return found;
}

/* ---- Unicode text ---- */

int64_t encode_in(const Kernel *kernel, int encoding, const uint32_t *text, size_t length, uint8_t *raw)
{
    const Page *page = &kernel->pages[encoding];
    int64_t marks = 0;
    for (size_t at = 0; at < length; at++) {
        uint32_t code = text[at];
        const uint8_t *bytes = code < 0x10000 ? page->bytes[code >> 8] : NULL;
        uint8_t byte = bytes ? bytes[code & 0xFF] : 0;
        raw[at] = byte || !code ? byte : '?';
        marks += raw[at] == '?';
    }
    return marks;
}

static int is_ascii_word(Piece part)
{
    size_t at = 0;
    while (at < part.length && is_ascii_letter(part.at[at])) at++;
    return at && at == part.length;
}

/* A word of ASCII letters with an apostrophe and its relatives where many languages have one. */
static int is_plain_with_clitic(const Kernel *kernel, Piece word)
{
    const uint8_t *found = memchr(word.at, (int)kernel->is.plain_apostrophe, word.length);
    if (!found) return 0;
    Piece before = {word.at, (size_t)(found - word.at)}, after = {found + 1, word.length - before.length - 1};
    return (is_ascii_word(before) && is_clitic(&kernel->clitics[PLAIN_AFTER], after)) ||
           (is_clitic(&kernel->clitics[PLAIN_BEFORE], before) && is_ascii_word(after));
}

/* As `next_odd_word`, without those that say nothing of the language. */
static int next_telling_word(const Kernel *kernel, Piece raw, size_t *from, Piece *word)
{
    while (next_odd_word(raw.at, raw.length, from, word))
        if (!is_plain_with_clitic(kernel, *word)) return 1;
    return 0;
}

int64_t best_alphabet(Kernel *kernel, const int *encodings, const Piece *raws, int count, int only, int *pair,
                      int64_t *work)
{
    int64_t *near = work, best = kernel->is.unread;
    int near_count = 0;
    *pair = -1;
    for (int i = 0; i < count; i++) {
        const Page *page = &kernel->pages[encodings[i]];
        for (int j = 0; j < page->pair_count; j++) {
            int number = kernel->by_encoding[page->first_pair + j];
            if (only >= 0 && kernel->pairs[number].language != only) continue;
            int64_t lanes = 0;
            size_t from = 0;
            Piece word;
            while (next_telling_word(kernel, raws[i], &from, &word))
                lanes += first_pass_of(kernel, &kernel->pairs[number], word);
            near[near_count++] = lanes * 1024 + number;
        }
    }
    qsort(near, (size_t)near_count, sizeof *near, by_size);
    if (near_count > kernel->is.near_pairs) near_count = (int)kernel->is.near_pairs;
    for (int i = 0; i < near_count; i++) {
        int number = (int)(near[i] & 1023), place = 0;
        while (encodings[place] != kernel->pairs[number].encoding) place++;
        size_t from = 0;
        Piece word;
        int64_t total = 0;
        while (next_telling_word(kernel, raws[place], &from, &word)) {
            int64_t cost = word_cost(kernel, &kernel->pairs[number], word);
            if (cost < 0) return -1;
            total += cost;
        }
        if (total < best) {
            best = total;
            *pair = number;
        }
    }
    return best;
}

int64_t character_cost(const Characters *model, int64_t *last, uint32_t code)
{
    const uint16_t *page = code < 0x110000 ? model->numbers[code >> 8] : NULL;
    int64_t before = *last, number = *last = (page ? page[code & 0xFF] : 0) - 1;
    if (number < 0) return model->unseen;
    if (before < 0) return model->unigrams[number];
    uint64_t key = (uint64_t)before * model->width + (uint64_t)number;
    size_t low = model->rows[before], end = model->rows[before + 1], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (model->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end && model->keys[low] == key) return model->costs[low];
    return model->gaps[before] + model->unigrams[number];
}

static int64_t run_cost(const Characters *model, const uint32_t *run, size_t length)
{
    int64_t total = 0, last = 0;
    for (size_t at = 0; at < length; at++) total += character_cost(model, &last, run[at]);
    return total;
}

/* The cost of a text of code points up to U+FFFF in a language written in characters. -1 with an error set. */
static int64_t characters_cost(Kernel *kernel, const uint32_t *text, size_t length, int language)
{
    const Constants *is = &kernel->is;
    Characters *model = &kernel->characters[language];
    if (!model->is_loaded && kernel->load_characters(kernel, language) < 0) return -1;
    int64_t total = 0;
    int last = 0, has_run = 0;
    for (size_t at = 0; at < length; at++) {
        int kind = kernel->kinds[text[at]];
        if ((last & KIND_SMALL && kind & KIND_WIDE) || (last & KIND_WIDE && kind & KIND_SMALL)) total += is->glued;
        if ((last & KIND_CAPITAL && kind & KIND_WIDE) || (last & KIND_WIDE && kind & KIND_CAPITAL)) total += is->joined;
        if (kind & KIND_RUN)
            has_run = 1;
        else if (text[at] > 0x7F)
            total += kind & KIND_UNUSED ? is->private_use : kernel->outside[text[at]];
        last = kind;
    }
    if (!has_run) total += is->signs_only;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && kernel->kinds[text[end]] & KIND_RUN) end++;
        if (end > at) total += run_cost(model, text + at, end - at) + (end - at == 1 ? is->lone : 0);
        at = end > at ? end : at + 1;
    }
    return total;
}

/* Letters in the ASCII words of some bytes: runs of 2 to 30 letters with no byte beyond ASCII on either side. */
static int64_t letters_of_words(const uint8_t *raw, size_t length)
{
    int64_t total = 0;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && is_ascii_letter(raw[end])) end++;
        if (end - at >= 2 && end - at <= 30 && (!at || raw[at - 1] < 0x80) && (end == length || raw[end] < 0x80))
            total += (int64_t)(end - at);
        at = end > at ? end : at + 1;
    }
    return total;
}

int64_t double_cost(Kernel *kernel, int encoding, const uint8_t *raw, size_t length, uint32_t *points, size_t *count)
{
    const DoubleByte *page = &kernel->doubles[encoding];
    int64_t letters = 0;
    *count = 0;
    int is_odd = 0;
    for (size_t at = 0; at < length; at++) {
        uint8_t first = raw[at];
        uint32_t code = page->singles[first];
        if (page->kinds[first] == BYTE_NONE) return kernel->is.never;
        if (page->kinds[first] == BYTE_UNTOLD) return -2;
        if (page->kinds[first] == BYTE_FIRST) {
            if (at + 1 == length) {
                /* A last character that was cut is dropped, but not from a text that would be ASCII then. */
                if ((int64_t)length < kernel->is.shortest_cut || !is_odd) return kernel->is.never;
                break;
            }
            if (!page->rows[first] && kernel->load_row(kernel, encoding, first) < 0) return -1;
            code = page->rows[first][raw[++at]];
            if (code == UNTOLD) return -2;
            if (!code) return kernel->is.never;
        }
        is_odd |= code > 0x7F;
        letters += code < 0x80 && is_ascii_letter((uint8_t)code);
        points[(*count)++] = code;
    }
    int64_t cost = characters_cost(kernel, points, *count, page->language);
    if (cost < 0 || !letters) return cost;
    int64_t left_over = letters - letters_of_words(raw, length);
    return cost + (left_over > 0 ? kernel->is.ascii_letter * left_over : 0);
}

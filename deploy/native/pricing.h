/* What bytes and texts cost under the language models of mediacrawl. Plain C, without Python.
 *
 * This is the arithmetic of mediacrawl/encoding/pricing/scoring.py, hypotheses.py and reading.py, on the tables that those
 * modules hand over. All costs are integers, so that both can be compared bit for bit. Nothing here keeps a table or a
 * price of its own. */
#ifndef MEDIACRAWL_PRICING_H
#define MEDIACRAWL_PRICING_H

#include <stddef.h>
#include <stdint.h>

#define MOST_LETTERS 128
#define MOST_CLASSES 32
#define MOST_CLITIC 8
#define ROWS 8192 /* rows of the first pass that are kept; a power of two */
#define CODE_PAGES 0x1100
#define SYMBOLS 28 /* the end of a word, ASCII letters of either case, and the capital I, which has two small letters */

typedef struct {
    const uint8_t *at;
    size_t length;
} Piece;

/* The trigram model of one language. The part from `trigrams` on is loaded when it is first asked for. */
typedef struct {
    int size;
    int is_latin;
    const uint8_t *bigrams;
    uint8_t ascii_numbers[256];
    const uint8_t *trigrams;
    const uint32_t *known;
    const uint8_t *prices;
    size_t known_count;
    uint32_t buckets[257]; /* where in `known` the hashes with each highest byte begin */
    uint8_t filter[1 << 13]; /* a bit for each lower 16 bits of a hash in `known`: most words are in no list */
} Letters;

/* An 8-bit encoding with a language. */
typedef struct {
    int encoding;
    int language;
    int is_latin;
    int apostrophe; /* its byte, or -1 */
    int64_t prior;
    int64_t prior_lane;
    uint8_t letters[256], classes[256], is_capital[256], is_foreign[256], extra[256];
} Pair;

/* The character model of Chinese, Japanese or Korean. */
typedef struct {
    int is_loaded;
    uint16_t *numbers[CODE_PAGES]; /* number + 1 by code point, in pages of 256; 0 is none */
    const uint8_t *unigrams, *gaps, *costs;
    const uint32_t *keys;
    uint32_t *rows; /* where in `keys` those of each character begin */
    size_t width, gap_count, key_count;
    int64_t unseen;
} Characters;

/* The bytes that an encoding has for characters, in pages of 256. */
typedef struct {
    uint8_t *bytes[256];
    int first_pair, pair_count; /* in `Kernel.by_encoding` */
} Page;

/* A double-byte encoding, and the language that is written in it. */
typedef struct {
    int language;            /* in `Kernel.characters` */
    int encoding;            /* its number, from that of UTF-8 on */
    int64_t prior;
    int least_second;
    uint8_t kinds[256];      /* of a byte that begins a character: BYTE_... */
    uint8_t is_untold[256];  /* a second byte of a character that Python must decode */
    uint16_t singles[256];   /* its code point, for one that is a character of its own */
    uint16_t *rows[256];     /* code points by the second byte, loaded when first needed; 0 is none, UNTOLD is not said */
} DoubleByte;

enum { BYTE_SINGLE, BYTE_FIRST, BYTE_NONE, BYTE_UNTOLD };
#define UNTOLD 0xFFFF

typedef struct {
    int64_t foreign, alien, ascii_letter, acronym, acronym_letter, longest_acronym, odd_apostrophe, clitic;
    int64_t gate, most_pairs, hopeless, most_languages, most_western, field_gate, field_pairs, never, step, lane_step, longest_word;
    int64_t near_pairs, lost, unread;
    int64_t latin_word, most_latin, most_gain, least_difference;
    int64_t shortest_cut, plain_apostrophe;
    int64_t glued, joined, private_use, signs_only, lone;
} Constants;

/* Short words that stand before or after an apostrophe, in lower case; the last two of any reading. */
enum { BEFORE, AFTER, PLAIN_BEFORE, PLAIN_AFTER, CLITICS };
typedef struct {
    int count;
    struct {
        uint8_t length, text[MOST_CLITIC];
    } words[64];
} Clitics;

typedef struct {
    uint32_t key; /* the two bytes, and bit 16 for a row that is filled */
    uint8_t *costs;
} Row;

/* What a row is filled from: the bigrams of each pair, and for each byte the letter, class and extra cost of all pairs. */
typedef struct {
    const uint8_t **bigrams;
    int *sizes;
    uint8_t *letters, *classes, *extras;
} Columns;

/* What the hypotheses of a record are weighed by (weighing.c). */
typedef struct {
    int64_t language_switch, most_words, most_scored, lone, trusted, close, utf8_prior;
    int tonal; /* the encoding of Vietnamese with tones of their own, or -1 */
    uint16_t (*characters)[256]; /* code points of the bytes, by encoding */
} Weighing;

typedef struct Kernel Kernel;
struct Kernel {
    Constants is;
    int pair_count, language_count, encoding_count, english, declared_encoding, character_count;
    Pair *pairs;
    Letters *languages;
    Page *pages;
    int *by_encoding;
    Characters *characters;
    int double_count;
    DoubleByte *doubles;
    uint8_t steps[1 << 15];
    uint8_t pair_steps[1 << 10];
    uint8_t half[256];
    Clitics clitics[CLITICS];
    int32_t *gains; /* cost of an ASCII word by how much cheaper it is than in English, from `least_difference` on */
    size_t gain_count;
    uint8_t *kinds;      /* of the code points up to U+FFFF: bits KIND_... */
    uint16_t *outside;   /* what those cost between runs */
    Row rows[ROWS];
    uint8_t *row_costs;
    uint8_t *plain; /* cost of three symbols in a row, for all languages side by side; filled at the first ASCII word */
    int is_plain_filled;
    Columns columns;
    Weighing weighing;
    /* Loads the rest of a language's tables; 0, or -1 with an error set. */
    int (*load_letters)(Kernel *, int language);
    int (*load_characters)(Kernel *, int language);
    int (*load_row)(Kernel *, int encoding, int first);
    /* What bytes cost in a double-byte encoding that `double_cost` leaves to Python; -1 with an error set. */
    int64_t (*price_double)(Kernel *, int encoding, Piece raw);
};

enum { KIND_RUN = 1, KIND_WIDE = 2, KIND_SMALL = 4, KIND_CAPITAL = 8, KIND_UNUSED = 16 };

typedef struct {
    int pair;
    int64_t prior;
} Ranked;

/* What is priced: the fields of a record, and after them what is new in those that repeat words of others. */
typedef struct {
    const Piece *words;
    const int *places; /* of each word: number of what it stands in, in rising order */
    size_t word_count;
    int count, own_count;         /* of all, and of the fields at the beginning */
    const uint8_t *is_of_record; /* of each: it makes up the record's cost */
} Fields;

/* Lists of pairs, of each of which the cheapest is priced in any case: list i is `numbers[starts[i]]` to
 * `numbers[starts[i + 1] - 1]`, and none is empty. */
typedef struct {
    int *numbers, *starts;
    int count;
} Choices;

/* Indexes the words of a model that were loaded; `known` must rise. 0, or -1 if it does not. */
int index_words(Letters *);

/* The next odd word of `raw` from `*from` on: a run of letters with a byte beyond ASCII. 0 when there is none. */
int next_odd_word(const uint8_t *raw, size_t length, size_t *from, Piece *word);

/* What one word costs in a pair, its classes included; -1 with an error set. */
int64_t word_cost(Kernel *, const Pair *, Piece word);

/* Adds what a word costs under every pair, about, in lane steps. */
void first_pass(Kernel *, Piece word, int64_t *lanes);

/* The pairs worth considering. `costs` gets `fields->count` costs for each of the pairs that it returns in `ranked`; both
 * have room for all pairs, `work` for four numbers a pair. -1 with an error set. */
int rank_pairs(Kernel *, const Fields *fields, const int32_t *shifts, const Choices *always, Ranked *ranked, int64_t *costs,
               int64_t *work);

/* What ASCII words of at most 30 letters cost in each language, beside English; 0, or -1 with an error set. */
int ascii_costs(Kernel *, const Piece *words, size_t count, int is_lone, int64_t *costs);

/* The cost of text in the best pair of some encodings; `*pair` is -1 if there is none. `raws[i]` has the bytes of the
 * text in the encoding `encodings[i]`. `only` is a language, or -1. -1 with an error set. */
int64_t best_alphabet(Kernel *, const int *encodings, const Piece *raws, int count, int only, int *pair, int64_t *work);

/* The text in an encoding, one byte a character, ``?`` for what it does not have; returns how many ``?`` there are. */
int64_t encode_in(const Kernel *, int encoding, const uint32_t *text, size_t length, uint8_t *raw);

/* Cost of a character after the last one, whose number it replaces; -1 stands for one that the model does not know. A run
 * begins with 0, the number of its boundary. */
int64_t character_cost(const Characters *, int64_t *last, uint32_t code);

/* What bytes cost in a double-byte encoding: `never` where it cannot read them; -1 with an error set, -2 where Python
 * must decode them. `points` has room for the length, and gets `*count` characters. */
int64_t double_cost(Kernel *, int encoding, const uint8_t *raw, size_t length, uint32_t *points, size_t *count);

#endif

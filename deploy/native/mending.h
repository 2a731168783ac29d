/* The search for what a word in a double-byte encoding was before it lost bytes.
 *
 * This is the arithmetic of `_grown` in mediacrawl/encoding/mojibake/lost_bytes.py. What may stand at each place comes from there. */
#ifndef MEDIACRAWL_MENDING_H
#define MEDIACRAWL_MENDING_H

#include "pricing.h"

#define MOST_USED 2 /* units that a character takes */

/* What may stand next: a character. */
typedef struct {
    uint32_t code;
    int used;     /* units, 1 to MOST_USED */
    int put_in;   /* bytes that are put in for it */
    int is_known; /* the models know such characters */
} Option;

/* A word that lost something: the options at each of its units are `options[starts[at]]` to `options[starts[at + 1] - 1]`. */
typedef struct {
    const Option *options;
    const int *starts;
    const int64_t *kept; /* cost of leaving the mark that stands there; 0 where none does */
    int count;           /* of units */
    int64_t put_in;      /* cost of a byte that is put in */
    int64_t plain, lone; /* of characters that the models do not know: of ASCII, and others */
    int beam;            /* words that go on from each unit */
} Gapped;

/* The end of a text: the text before it, and its last character. Each text has one end. */
typedef struct {
    int before; /* number of an end; -1 for the empty text */
    uint32_t code;
    int places[2], levels[2]; /* where it stands in the levels that are open, by their lowest bit */
} End;

/* A word, begun. */
typedef struct {
    int64_t cost, paid, least; /* so far; of the losses alone; with the characters that the models know */
    int64_t last;              /* see `character_cost`; 0 where no character that the models know is the last one */
    int put_in, end;
} Begun;

/* Memory of a search; `grow` says what it must hold. */
typedef struct {
    End *ends; /* one for each option of `beam` words at each unit, one for each mark of those, and one */
    int *table;
    size_t table_size; /* a power of two, twice the number of ends */
    Begun *levels[MOST_USED + 1]; /* each has room for what `beam` words become at two units */
    Begun *beam;
} Search;

/* What the word can have been: the finished words, in the order in which they were first found. Their number is stored.
 * NULL with an error set. */
const Begun *grow(Kernel *, const Gapped *, int language, Search *, int *count);

#endif

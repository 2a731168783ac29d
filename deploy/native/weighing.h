/* The hypotheses of a record: every encoding that may be worth considering, and what the fields cost in it.
 *
 * This is the arithmetic of `hypotheses` in mediacrawl/encoding/pricing/hypotheses.py, and of `_weigh`, `_leave_cost` and
 * `_runner_up` in detector.py for a record of one field. What few fields need is not here: Python adds to the costs what
 * long fields, clean signs and lone no-break spaces ask for. */
#ifndef MEDIACRAWL_WEIGHING_H
#define MEDIACRAWL_WEIGHING_H

#include "pricing.h"

/* What `hypotheses` is asked. `fields` are the words of `priced`, in the same order. */
typedef struct {
    const Piece *priced;
    Fields fields;
    const Piece *raws; /* all fields of the record; the ASCII words among them tell of the language */
    size_t raw_count;
    const int32_t *shifts; /* of all hypotheses by number, or NULL */
    const int64_t *utf8;   /* what each of `priced` costs in UTF-8; NULL where none of them is UTF-8 */
    int may_mix;           /* fields may be in several languages of one encoding */
} Record;

/* A hypothesis. Numbers are those of the pairs, then UTF-8, then the double-byte encodings. */
typedef struct {
    int number, encoding;
    int64_t prior;
    int64_t length; /* of the last of `priced` in characters, for a double-byte encoding; -1 where it is not known */
} Weighed;

/* How many hypotheses there can be. */
int most_weighed(const Kernel *);

/* The hypotheses of a record, in the order of Python. `costs` gets a row of `fields.count` costs for each, `found` and
 * `costs` have room for `most_weighed` of them, `work` for four numbers a pair, `points` for the longest of `priced`.
 * The number of hypotheses; -1 with an error set. */
int weigh_record(Kernel *, const Record *, Choices *always, Weighed *found, int64_t *costs, int64_t *work,
                 uint32_t *points);

/* A hypothesis that may read another text than the best one. */
typedef struct {
    int number;
    int64_t margin; /* over the best one */
} Rival;

/* The decision on a record of one field. */
typedef struct {
    int best;             /* number of the hypothesis */
    int best_encoding;
    int64_t over_declared; /* margin over leaving the field as declared */
    int rival_count;
    int is_sure; /* the last rival does read another text; the others may read the same one */
} Choice;

/* Chooses among the hypotheses of one field. `rivals` and `totals` have room for all of them; `totals` gets the cost of
 * each with its prior. `trusted` and `declared` are encodings, or -1. */
Choice choose(const Kernel *, const Weighed *found, int64_t *costs, int count, Piece raw, int trusted, int declared,
              Rival *rivals, int64_t *totals);

#endif

/* The methods that weigh the hypotheses of a record (weighing.c). */
#include "calls.h"

#include <string.h>

#include "weighing.h"

/* ---- Reading the spec ---- */

static int take_characters(Kernel *kernel, PyObject *spec)
{
    PyObject *list = list_of(spec, "characters", kernel->encoding_count, kernel->encoding_count);
    if (!list) return -1;
    uint16_t(*to)[256] = kernel->weighing.characters = PyMem_Calloc((size_t)kernel->encoding_count, sizeof *to);
    if (!to) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < kernel->encoding_count; i++) {
        char *at;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &at, &length) < 0 || length != sizeof *to) {
            PyErr_Clear();
            return fails("characters");
        }
        memcpy(to[i], at, sizeof *to);
    }
    return 0;
}

int take_weighing(Kernel *kernel, PyObject *all)
{
    Weighing *is = &kernel->weighing;
    PyObject *spec = PyDict_GetItemString(all, "weighing");
    const struct {
        const char *name;
        int64_t *to;
    } wanted[] = {
        {"language_switch", &is->language_switch}, {"most_words", &is->most_words}, {"most_scored", &is->most_scored},
        {"lone", &is->lone}, {"trusted", &is->trusted}, {"close", &is->close}, {"utf8_prior", &is->utf8_prior},
    };
    if (!spec || !PyDict_Check(spec)) return fails("weighing");
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (integer_of(spec, wanted[i].name, wanted[i].to) < 0) return -1;
    if (is->most_words < 0 || is->most_scored < 0) return fails("most_words");
    if (small_integer(spec, "tonal", -1, kernel->encoding_count - 1, &is->tonal) < 0) return -1;
    return take_characters(kernel, spec);
}

/* ---- A call ---- */

/* The arguments of a call, and memory that it needs; all of it is in `memory`. */
typedef struct {
    Record record;
    Choices always;
    int numbers[MOST_PAIRS + 1], starts[MOST_CHOICES + 2];
    Weighed *found;
    int64_t *costs, *work;
    uint32_t *points;
    char *memory;
} Call;

/* A part of some memory; only its place is counted where there is none yet. */
static void *part_of(char *memory, size_t *used, size_t count, size_t size)
{
    void *part = memory ? memory + *used : NULL;
    *used += (count * size + 15) / 16 * 16;
    return part;
}

static size_t word_count_of(const Piece *pieces, int count, size_t *longest)
{
    size_t words = 0;
    *longest = 0;
    for (int i = 0; i < count; i++) {
        Piece word;
        for (size_t from = 0; next_odd_word(pieces[i].at, pieces[i].length, &from, &word);) words++;
        if (pieces[i].length > *longest) *longest = pieces[i].length;
    }
    return words;
}

static int take_shifts(const Kernel *kernel, PyObject *shifts, const int32_t **to)
{
    char *at;
    Py_ssize_t length;
    *to = NULL;
    if (shifts == Py_None) return 0;
    if (PyBytes_AsStringAndSize(shifts, &at, &length) < 0) return -1;
    if (length != most_weighed(kernel) * (Py_ssize_t)sizeof(int32_t)) {
        PyErr_SetString(PyExc_ValueError, "The shifts must have four bytes for each hypothesis.");
        return -1;
    }
    *to = (const int32_t *)at;
    return 0;
}

/* Makes room for `pieces` that are priced and `raw_count` fields, and finds the words of the pieces. */
static int prepare(Call *call, const Kernel *kernel, const Piece *pieces, int count, size_t raw_count)
{
    size_t longest, most = (size_t)most_weighed(kernel), words = word_count_of(pieces, count, &longest);
    Piece *word_list = NULL, *priced = NULL, *raws = NULL;
    int *places = NULL;
    uint8_t *is_of_record = NULL;
    for (int round = 0; round < 2; round++) {
        size_t used = 0;
        char *memory = round ? call->memory : NULL;
        priced = part_of(memory, &used, (size_t)count, sizeof *priced);
        raws = part_of(memory, &used, raw_count, sizeof *raws);
        word_list = part_of(memory, &used, words, sizeof *word_list);
        places = part_of(memory, &used, words, sizeof *places);
        is_of_record = part_of(memory, &used, (size_t)count, 1);
        call->found = part_of(memory, &used, most, sizeof *call->found);
        call->costs = part_of(memory, &used, most * (size_t)count, sizeof *call->costs);
        call->work = part_of(memory, &used, WORK * (size_t)kernel->pair_count, sizeof *call->work);
        call->points = part_of(memory, &used, longest, sizeof *call->points);
        if (!round && !(call->memory = PyMem_Malloc(used))) {
            PyErr_NoMemory();
            return -1;
        }
    }
    size_t at = 0;
    for (int i = 0; i < count; i++)
        for (size_t from = 0; next_odd_word(pieces[i].at, pieces[i].length, &from, &word_list[at]);) places[at++] = i;
    memcpy(priced, pieces, sizeof *priced * (size_t)count);
    memset(is_of_record, 0, (size_t)count);
    call->record.priced = priced;
    call->record.raws = raws;
    call->record.raw_count = raw_count;
    call->record.fields = (Fields){word_list, places, words, count, 1, is_of_record};
    return 0;
}

static int take_of_record(PyObject *of_record, Fields *fields)
{
    Py_ssize_t count = PyList_Size(of_record);
    if (count < 1 || count > fields->count) {
        PyErr_SetString(PyExc_ValueError, "There must be at least one field, and no more than what is priced.");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        long number = PyLong_AsLong(PyList_GetItem(of_record, i));
        if (number < 0 || number >= fields->count) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "There is no such field.");
            return -1;
        }
        ((uint8_t *)fields->is_of_record)[number] = 1;
    }
    fields->own_count = (int)count;
    return 0;
}

static PyObject *weighed_list(const Call *call, int found)
{
    int fields = call->record.fields.count;
    PyObject *list = PyList_New(found);
    for (int i = 0; list && i < found; i++) {
        PyObject *each = PyList_New(fields), *row;
        for (int field = 0; each && field < fields; field++) {
            PyObject *cost = PyLong_FromLongLong(call->costs[(int64_t)i * fields + field]);
            if (!cost || PyList_SetItem(each, field, cost) < 0) Py_CLEAR(each);
        }
        row = each ? Py_BuildValue("(iLN)", call->found[i].number, (long long)call->found[i].prior, each) : NULL;
        if (!row || PyList_SetItem(list, i, row) < 0) Py_CLEAR(list);
    }
    return list;
}

/* What each piece costs in UTF-8, from a list of as many numbers, or None. */
static int take_utf8(PyObject *list, int count, int64_t *room, const int64_t **to)
{
    *to = NULL;
    if (list == Py_None) return 0;
    if (!PyList_Check(list) || PyList_Size(list) != count) {
        PyErr_SetString(PyExc_ValueError, "There must be a cost in UTF-8 for each of what is priced.");
        return -1;
    }
    for (int i = 0; i < count; i++) {
        room[i] = PyLong_AsLongLong(PyList_GetItem(list, i));
        if (room[i] == -1 && PyErr_Occurred()) return -1;
    }
    *to = room;
    return 0;
}

const char weigh_doc[] =
    "weigh(pieces, of_record, (fields, shifts, always), utf8, may_mix) -> [(number, prior, costs)]\n\n"
    "The hypotheses of a record. pieces: what is priced of each field, and more. of_record: for each field the number of\n"
    "what makes up the record's cost. fields: all of the record, for their ASCII words. shifts: 32-bit integers of all\n"
    "hypotheses as bytes, or None. always: tuples of pairs, of each of which the cheapest is priced in any case. utf8: the\n"
    "cost of each piece in UTF-8, or None. may_mix: fields may be in several languages of one encoding.";

PyObject *kernel_weigh(PyObject *object, PyObject *args)
{
    Kernel *kernel = kernel_in(object);
    PyObject *list, *of_record, *fields, *shifts, *always, *utf8, *answer = NULL;
    Call call;
    if (!PyArg_ParseTuple(args, "O!O!(O!OO!)Op", &PyList_Type, &list, &PyList_Type, &of_record, &PyList_Type, &fields,
                          &shifts, &PyTuple_Type, &always, &utf8, &call.record.may_mix))
        return NULL;
    Py_ssize_t count = PyList_Size(list);
    if (count < 1 || count > 1 << 20) {
        PyErr_SetString(PyExc_ValueError, "There must be 1 to 1,048,576 pieces.");
        return NULL;
    }
    call.memory = NULL;
    call.always = (Choices){call.numbers, call.starts, 0};
    Piece *pieces = PyMem_Malloc((size_t)count * sizeof *pieces);
    int64_t *room = PyMem_Malloc((size_t)count * sizeof *room);
    if (!pieces || !room) {
        PyErr_NoMemory();
        goto done;
    }
    if (pieces_of(list, pieces) < 0 || take_shifts(kernel, shifts, &call.record.shifts) < 0 ||
        choices_of(kernel, always, &call.always) < 0 || take_utf8(utf8, (int)count, room, &call.record.utf8) < 0 ||
        prepare(&call, kernel, pieces, (int)count, (size_t)PyList_Size(fields)) < 0 ||
        pieces_of(fields, (Piece *)call.record.raws) < 0 || take_of_record(of_record, &call.record.fields) < 0)
        goto done;
    int found = weigh_record(kernel, &call.record, &call.always, call.found, call.costs, call.work, call.points);
    if (found >= 0) answer = weighed_list(&call, found);
done:
    PyMem_Free(pieces);
    PyMem_Free(room);
    PyMem_Free(call.memory);
    return answer;
}

/* The totals of the hypotheses in one encoding, cheapest first. */
static PyObject *totals_in(int encoding, const Call *call, const int64_t *totals, int count)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        if (call->found[i].encoding != encoding) continue;
        PyObject *total = PyLong_FromLongLong(totals[i]);
        if (!total || PyList_Append(list, total) < 0) Py_CLEAR(list);
        Py_XDECREF(total);
    }
    if (list && PyList_Sort(list) < 0) Py_CLEAR(list);
    return list;
}

static PyObject *choice_tuple(const Choice *choice, const Rival *rivals, PyObject *left, PyObject *same)
{
    PyObject *list = PyList_New(choice->rival_count);
    for (int i = 0; list && i < choice->rival_count; i++) {
        PyObject *row = Py_BuildValue("(iL)", rivals[i].number, (long long)rivals[i].margin);
        if (!row || PyList_SetItem(list, i, row) < 0) Py_CLEAR(list);
    }
    if (list && left && same)
        return Py_BuildValue("(iLiNNN)", choice->best, (long long)choice->over_declared, choice->is_sure, list, left, same);
    Py_XDECREF(list);
    Py_XDECREF(left);
    Py_XDECREF(same);
    return NULL;
}

const char choose_doc[] =
    "choose(piece, (fields, shifts, always), utf8, trusted, declared)\n"
    "-> (best, over_declared, is_sure, rivals, left, same)\n\n"
    "The best hypothesis of a record of which one field is not Unicode. fields, shifts, always: as for weigh. utf8: the\n"
    "field's cost in UTF-8, or None. trusted: an encoding that is believed because it is declared, or -1. declared: the\n"
    "encoding that the field is left in; -1 for one without a hypothesis. over_declared: margin over that. rivals: the\n"
    "cheapest other hypotheses that may read another text, with the margin over each; is_sure: the last of them does.\n"
    "left, same: where the margin over the declared encoding is small, the costs in it and in the best one, in each\n"
    "language; else both are empty.";

PyObject *kernel_choose(PyObject *object, PyObject *args)
{
    Kernel *kernel = kernel_in(object);
    PyObject *fields, *shifts, *always, *utf8, *answer = NULL;
    const char *raw;
    Py_ssize_t length;
    int trusted, declared;
    Call call;
    if (!PyArg_ParseTuple(args, "y#(O!OO!)Oii", &raw, &length, &PyList_Type, &fields, &shifts, &PyTuple_Type, &always,
                          &utf8, &trusted, &declared))
        return NULL;
    call.memory = NULL;
    call.always = (Choices){call.numbers, call.starts, 0};
    int64_t in_utf8 = utf8 == Py_None ? 0 : PyLong_AsLongLong(utf8);
    if (in_utf8 == -1 && PyErr_Occurred()) return NULL;
    Piece piece = {(const uint8_t *)raw, (size_t)length};
    if (take_shifts(kernel, shifts, &call.record.shifts) < 0 || choices_of(kernel, always, &call.always) < 0 ||
        prepare(&call, kernel, &piece, 1, (size_t)PyList_Size(fields)) < 0)
        goto done;
    if (pieces_of(fields, (Piece *)call.record.raws) < 0) goto done;
    call.record.utf8 = utf8 == Py_None ? NULL : &in_utf8;
    call.record.may_mix = 0;
    ((uint8_t *)call.record.fields.is_of_record)[0] = 1;
    int found = weigh_record(kernel, &call.record, &call.always, call.found, call.costs, call.work, call.points);
    if (found == 0) PyErr_SetString(PyExc_ValueError, "There must be a list of pairs of which one is priced.");
    if (found <= 0) goto done;
    Rival rivals[MOST_PAIRS + MOST_CHOICES + 1];
    int64_t totals[MOST_PAIRS + MOST_CHOICES + 1];
    Choice choice = choose(kernel, call.found, call.costs, found, piece, trusted, declared, rivals, totals);
    int listed = choice.over_declared > 0 && choice.over_declared < kernel->weighing.close ? found : 0;
    answer = choice_tuple(&choice, rivals, totals_in(declared, &call, totals, listed),
                          totals_in(choice.best_encoding, &call, totals, listed));
done:
    PyMem_Free(call.memory);
    return answer;
}

/* The kernel of pricing.c as a Python module, in the limited API of Python 3.11: one build serves all later ones.
 *
 * `Kernel(spec)` takes all tables and constants from `mediacrawl/encoding/pricing/kernel_tables.py`, checks every size
 * that the arithmetic relies on, and refuses a spec that does not fit with ValueError. Nothing is trusted to be small. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

#include "calls.h"

#define ON_STACK 512

typedef struct {
    PyObject_HEAD
    Kernel kernel;
    PyObject *loader; /* loader(name) -> tables of a language */
    PyObject *names;  /* of the languages, then of those written in characters */
    PyObject *kept;   /* what the tables point into */
} KernelObject;

Kernel *kernel_in(PyObject *object) { return &((KernelObject *)object)->kernel; }

/* ---- Reading the spec ---- */

int fails(const char *what)
{
    if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "The tables do not fit: %s.", what);
    return -1;
}

/* Bytes of a dict; borrowed, and kept alive by `self->kept`. */
static const uint8_t *bytes_of(KernelObject *self, PyObject *object, Py_ssize_t length, const char *name)
{
    char *at;
    Py_ssize_t got;
    if (!object || PyBytes_AsStringAndSize(object, &at, &got) < 0 || (length >= 0 && got != length)) {
        PyErr_Clear();
        fails(name);
        return NULL;
    }
    if (PyList_Append(self->kept, object) < 0) return NULL;
    return (const uint8_t *)at;
}

int copy_table(PyObject *spec, const char *name, uint8_t *to, Py_ssize_t length)
{
    char *at;
    Py_ssize_t got;
    PyObject *object = PyDict_GetItemString(spec, name);
    if (!object || PyBytes_AsStringAndSize(object, &at, &got) < 0 || got != length) {
        PyErr_Clear();
        return fails(name);
    }
    memcpy(to, at, (size_t)length);
    return 0;
}

int integer_of(PyObject *spec, const char *name, int64_t *to)
{
    PyObject *object = PyDict_GetItemString(spec, name);
    if (!object) return fails(name);
    *to = PyLong_AsLongLong(object);
    if (*to == -1 && PyErr_Occurred()) return -1;
    return *to < -(1LL << 40) || *to > 1LL << 40 ? fails(name) : 0;
}

int small_integer(PyObject *spec, const char *name, int64_t least, int64_t most, int *to)
{
    int64_t number;
    if (integer_of(spec, name, &number) < 0) return -1;
    if (number < least || number > most) return fails(name);
    *to = (int)number;
    return 0;
}

static int take_constants(KernelObject *self, PyObject *spec)
{
    Constants *is = &self->kernel.is;
    const struct {
        const char *name;
        int64_t *to;
    } wanted[] = {
        {"foreign", &is->foreign}, {"alien", &is->alien}, {"ascii_letter", &is->ascii_letter},
        {"acronym", &is->acronym}, {"acronym_letter", &is->acronym_letter},
        {"longest_acronym", &is->longest_acronym}, {"clitic", &is->clitic},
        {"odd_apostrophe", &is->odd_apostrophe}, {"gate", &is->gate},
        {"most_pairs", &is->most_pairs}, {"hopeless", &is->hopeless},
        {"most_languages", &is->most_languages}, {"most_western", &is->most_western},
        {"field_gate", &is->field_gate}, {"field_pairs", &is->field_pairs}, {"never", &is->never},
        {"step", &is->step}, {"lane_step", &is->lane_step}, {"longest_word", &is->longest_word},
        {"near_pairs", &is->near_pairs}, {"lost", &is->lost}, {"unread", &is->unread},
        {"latin_word", &is->latin_word}, {"most_latin", &is->most_latin}, {"most_gain", &is->most_gain},
        {"least_difference", &is->least_difference}, {"glued", &is->glued}, {"joined", &is->joined},
        {"private", &is->private_use}, {"signs_only", &is->signs_only}, {"lone", &is->lone},
        {"shortest_cut", &is->shortest_cut},
        {"plain_apostrophe", &is->plain_apostrophe},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (integer_of(spec, wanted[i].name, wanted[i].to) < 0) return -1;
    /* A word that is cut so has sums of less than 2**16, and a step divides. */
    if (is->longest_word < 0 || is->longest_word > 255 || is->step < 1 || is->lane_step < 1) return fails("step");
    return 0;
}

static int take_letters(KernelObject *self, PyObject *spec, Letters *to)
{
    if (!PyDict_Check(spec)) return fails("a language");
    if (small_integer(spec, "size", 1, MOST_LETTERS, &to->size) < 0) return -1;
    if (small_integer(spec, "latin", 0, 1, &to->is_latin) < 0) return -1;
    to->bigrams = bytes_of(self, PyDict_GetItemString(spec, "bigrams"), (Py_ssize_t)to->size * to->size, "bigrams");
    if (!to->bigrams || copy_table(spec, "ascii_numbers", to->ascii_numbers, 256) < 0) return -1;
    for (int byte = 0; byte < 256; byte++)
        if (to->ascii_numbers[byte] >= to->size) return fails("ascii_numbers");
    for (int byte = 'A'; byte <= 'Z'; byte++)
        if (byte != 'I' && to->ascii_numbers[byte] != to->ascii_numbers[byte | 0x20]) return fails("ascii_numbers");
    return 0;
}

static int take_pair(KernelObject *self, PyObject *spec, Pair *to)
{
    Kernel *kernel = &self->kernel;
    uint8_t bytes[256];
    if (!PyDict_Check(spec)) return fails("a pair");
    if (small_integer(spec, "encoding", 0, kernel->encoding_count - 1, &to->encoding) < 0) return -1;
    if (small_integer(spec, "language", 0, kernel->language_count - 1, &to->language) < 0) return -1;
    if (small_integer(spec, "latin", 0, 1, &to->is_latin) < 0) return -1;
    if (small_integer(spec, "apostrophe", -1, 255, &to->apostrophe) < 0) return -1;
    if (integer_of(spec, "prior", &to->prior) < 0 || integer_of(spec, "prior_lane", &to->prior_lane) < 0) return -1;
    if (copy_table(spec, "letters", to->letters, 256) < 0 || copy_table(spec, "classes", to->classes, 256) < 0) return -1;
    if (copy_table(spec, "extra", to->extra, 256) < 0 || copy_table(spec, "foreign", to->is_foreign, 256) < 0) return -1;
    if (copy_table(spec, "capitals", bytes, 256) < 0) return -1;
    memcpy(to->is_capital, bytes, 256);
    for (int byte = 0; byte < 256; byte++)
        if (to->letters[byte] >= kernel->languages[to->language].size || to->classes[byte] >= MOST_CLASSES ||
            to->extra[byte] > 85 || to->is_foreign[byte] > 1)
            return fails("a pair's tables");
    return 0;
}

/* What the rows of the first pass are filled from, side by side: to read it from the pairs would miss the cache. */
static int fill_columns(Kernel *kernel)
{
    Columns *to = &kernel->columns;
    size_t count = (size_t)kernel->pair_count;
    to->bigrams = PyMem_Calloc(count, sizeof *to->bigrams);
    to->sizes = PyMem_Calloc(count, sizeof *to->sizes);
    to->letters = PyMem_Calloc(3 * 256, count);
    if (!to->bigrams || !to->sizes || !to->letters) {
        PyErr_NoMemory();
        return -1;
    }
    to->classes = to->letters + 256 * count;
    to->extras = to->classes + 256 * count;
    for (size_t i = 0; i < count; i++) {
        const Pair *pair = &kernel->pairs[i];
        to->bigrams[i] = kernel->languages[pair->language].bigrams;
        to->sizes[i] = kernel->languages[pair->language].size;
        for (size_t byte = 0; byte < 256; byte++) {
            to->letters[byte * count + i] = pair->letters[byte];
            to->classes[byte * count + i] = pair->classes[byte];
            to->extras[byte * count + i] = pair->extra[byte];
        }
    }
    return 0;
}

static int take_page(PyObject *codes, Page *to)
{
    char *at;
    Py_ssize_t length;
    /* Three bytes each: a code point of two, highest first, and its byte. */
    if (PyBytes_AsStringAndSize(codes, &at, &length) < 0 || length % 3) return fails("an encoding");
    for (Py_ssize_t i = 0; i < length; i += 3) {
        uint8_t high = (uint8_t)at[i];
        if (!to->bytes[high]) to->bytes[high] = PyMem_Calloc(256, 1);
        if (!to->bytes[high]) {
            PyErr_NoMemory();
            return -1;
        }
        to->bytes[high][(uint8_t)at[i + 1]] = (uint8_t)at[i + 2];
    }
    return 0;
}

PyObject *list_of(PyObject *spec, const char *name, Py_ssize_t least, Py_ssize_t most)
{
    PyObject *list = PyDict_GetItemString(spec, name);
    if (!list || !PyList_Check(list) || PyList_Size(list) < least || PyList_Size(list) > most) {
        fails(name);
        return NULL;
    }
    return list;
}

static int take_clitics(KernelObject *self, PyObject *spec)
{
    PyObject *lists = list_of(spec, "clitics", CLITICS, CLITICS);
    if (!lists) return -1;
    for (int which = 0; which < CLITICS; which++) {
        PyObject *list = PyList_GetItem(lists, which);
        Clitics *to = &self->kernel.clitics[which];
        if (!PyList_Check(list) || PyList_Size(list) > 64) return fails("clitics");
        for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
            char *at;
            Py_ssize_t length;
            if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &at, &length) < 0) return -1;
            if (length > MOST_CLITIC) return fails("a clitic");
            to->words[i].length = (uint8_t)length;
            memcpy(to->words[i].text, at, (size_t)length);
        }
        to->count = (int)PyList_Size(list);
    }
    return 0;
}

static int take_languages(KernelObject *self, PyObject *spec)
{
    Kernel *kernel = &self->kernel;
    PyObject *languages = list_of(spec, "languages", 1, MOST_PAIRS), *pairs = list_of(spec, "pairs", 1, MOST_PAIRS);
    PyObject *pages = list_of(spec, "encodings", 1, MOST_PAIRS), *names = list_of(spec, "names", 1, 2 * MOST_PAIRS);
    if (!languages || !pairs || !pages || !names) return -1;
    kernel->language_count = (int)PyList_Size(languages);
    kernel->pair_count = (int)PyList_Size(pairs);
    kernel->encoding_count = (int)PyList_Size(pages);
    kernel->character_count = (int)PyList_Size(names) - kernel->language_count;
    if (kernel->character_count < 0) return fails("names");
    self->names = PyList_AsTuple(names);
    size_t count = (size_t)kernel->pair_count;
    kernel->languages = PyMem_Calloc((size_t)kernel->language_count, sizeof *kernel->languages);
    kernel->pairs = PyMem_Calloc(count, sizeof *kernel->pairs);
    kernel->pages = PyMem_Calloc((size_t)kernel->encoding_count, sizeof *kernel->pages);
    kernel->by_encoding = PyMem_Calloc(count, sizeof *kernel->by_encoding);
    kernel->characters = PyMem_Calloc((size_t)kernel->character_count + 1, sizeof *kernel->characters);
    kernel->row_costs = PyMem_Calloc(ROWS, count);
    kernel->plain = PyMem_Calloc(SYMBOLS * SYMBOLS * SYMBOLS, (size_t)kernel->language_count);
    if (!self->names || !kernel->languages || !kernel->pairs || !kernel->pages || !kernel->by_encoding ||
        !kernel->characters || !kernel->row_costs || !kernel->plain) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < ROWS; i++) kernel->rows[i].costs = kernel->row_costs + i * count;
    for (int i = 0; i < kernel->language_count; i++)
        if (take_letters(self, PyList_GetItem(languages, i), &kernel->languages[i]) < 0) return -1;
    for (int i = 0; i < kernel->pair_count; i++)
        if (take_pair(self, PyList_GetItem(pairs, i), &kernel->pairs[i]) < 0) return -1;
    if (fill_columns(kernel) < 0) return -1;
    int place = 0;
    for (int encoding = 0; encoding < kernel->encoding_count; encoding++) {
        if (take_page(PyList_GetItem(pages, encoding), &kernel->pages[encoding]) < 0) return -1;
        kernel->pages[encoding].first_pair = place;
        for (int i = 0; i < kernel->pair_count; i++)
            if (kernel->pairs[i].encoding == encoding) kernel->by_encoding[place++] = i;
        kernel->pages[encoding].pair_count = place - kernel->pages[encoding].first_pair;
    }
    if (small_integer(spec, "english", 0, kernel->language_count - 1, &kernel->english) < 0) return -1;
    if (!kernel->languages[kernel->english].is_latin) return fails("english");
    return small_integer(spec, "declared", 0, kernel->encoding_count - 1, &kernel->declared_encoding);
}

static int take_doubles(PyObject *spec, Kernel *kernel)
{
    PyObject *list = list_of(spec, "doubles", 0, 64);
    if (!list) return -1;
    int count = (int)PyList_Size(list);
    kernel->doubles = PyMem_Calloc((size_t)count + 1, sizeof *kernel->doubles);
    if (!kernel->doubles) {
        PyErr_NoMemory();
        return -1;
    }
    kernel->double_count = count;
    for (int i = 0; i < count; i++) {
        PyObject *one = PyList_GetItem(list, i);
        DoubleByte *to = &kernel->doubles[i];
        if (!PyDict_Check(one)) return fails("a double-byte encoding");
        if (small_integer(one, "language", 0, kernel->character_count - 1, &to->language) < 0) return -1;
        int encodings = kernel->encoding_count;
        if (small_integer(one, "encoding", encodings + 1, encodings + count, &to->encoding) < 0) return -1;
        if (integer_of(one, "prior", &to->prior) < 0) return -1;
        if (small_integer(one, "least_second", 0, 255, &to->least_second) < 0) return -1;
        if (copy_table(one, "kinds", to->kinds, 256) < 0 || copy_table(one, "untold", to->is_untold, 256) < 0) return -1;
        if (copy_table(one, "singles", (uint8_t *)to->singles, sizeof to->singles) < 0) return -1;
    }
    return 0;
}

/* Ranges of code points with what is to be set for them: lists of (first, last, value). */
static int take_ranges(PyObject *spec, const char *name, void (*set)(Kernel *, uint32_t, int), Kernel *kernel)
{
    PyObject *list = list_of(spec, name, 0, 1000);
    if (!list) return -1;
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        int first, last, value;
        PyObject *range = PyList_GetItem(list, i);
        if (!PyTuple_Check(range)) return fails(name);
        if (!PyArg_ParseTuple(range, "iii", &first, &last, &value)) return -1;
        if (first < 0 || last > 0xFFFF || value < 0 || value > 0xFFFF) return fails(name);
        for (int code = first; code <= last; code++) set(kernel, (uint32_t)code, value);
    }
    return 0;
}

static void set_kind(Kernel *kernel, uint32_t code, int value) { kernel->kinds[code] |= (uint8_t)value; }

static void set_outside(Kernel *kernel, uint32_t code, int value) { kernel->outside[code] = (uint16_t)value; }

static int take_kinds(KernelObject *self, PyObject *spec)
{
    Kernel *kernel = &self->kernel;
    PyObject *gains = list_of(spec, "gains", 1, 1 << 16);
    if (!gains) return -1;
    kernel->gain_count = (size_t)PyList_Size(gains);
    kernel->kinds = PyMem_Calloc(0x10000, 1);
    kernel->outside = PyMem_Calloc(0x10000, sizeof *kernel->outside);
    kernel->gains = PyMem_Calloc(kernel->gain_count, sizeof *kernel->gains);
    if (!kernel->kinds || !kernel->outside || !kernel->gains) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < kernel->gain_count; i++) {
        long gain = PyLong_AsLong(PyList_GetItem(gains, (Py_ssize_t)i));
        if (gain == -1 && PyErr_Occurred()) return -1;
        if (gain < -100000 || gain > 100000) return fails("gains");
        kernel->gains[i] = (int32_t)gain;
    }
    if (take_doubles(spec, kernel) < 0 || take_ranges(spec, "kinds", set_kind, kernel) < 0) return -1;
    return take_ranges(spec, "outside", set_outside, kernel);
}

/* ---- Loading what is large when it is first needed ---- */

static int buffer_of(KernelObject *self, PyObject *tuple, Py_ssize_t place, Py_ssize_t item, const void **at, size_t *count)
{
    PyObject *object = PyTuple_GetItem(tuple, place), *bytes;
    if (!object) return -1;
    bytes = PyObject_Bytes(object);
    if (!bytes) return -1;
    char *found;
    Py_ssize_t length;
    int failed = PyBytes_AsStringAndSize(bytes, &found, &length) < 0 || PyList_Append(self->kept, bytes) < 0;
    Py_DECREF(bytes);
    if (failed) return -1;
    if (length % item) return fails("a table");
    *at = found;
    *count = (size_t)(length / item);
    return 0;
}

static PyObject *loaded(KernelObject *self, int number, Py_ssize_t parts)
{
    PyObject *name = PyTuple_GetItem(self->names, number);
    PyObject *found = name ? PyObject_CallFunctionObjArgs(self->loader, name, NULL) : NULL;
    if (found && (!PyTuple_Check(found) || PyTuple_Size(found) != parts)) {
        Py_DECREF(found);
        fails("what the loader gave");
        return NULL;
    }
    return found;
}

static int load_letters(Kernel *kernel, int language)
{
    KernelObject *self = (KernelObject *)((char *)kernel - offsetof(KernelObject, kernel));
    Letters *model = &kernel->languages[language];
    PyObject *found = loaded(self, language, 3);
    if (!found) return -1;
    const void *trigrams, *known, *prices;
    size_t cube, known_count, price_count;
    int failed = buffer_of(self, found, 0, 1, &trigrams, &cube) < 0 || buffer_of(self, found, 1, 4, &known, &known_count) < 0 ||
                 buffer_of(self, found, 2, 1, &prices, &price_count) < 0;
    Py_DECREF(found);
    if (failed) return -1;
    size_t size = (size_t)model->size;
    if (cube != size * size * size || known_count != price_count) return fails("the trigrams of a language");
    model->known = known;
    model->known_count = known_count;
    model->prices = prices;
    if (known_count > 1 << 24 || index_words(model) < 0) return fails("the words of a language");
    model->trigrams = trigrams;
    return 0;
}

static int load_characters(Kernel *kernel, int number)
{
    KernelObject *self = (KernelObject *)((char *)kernel - offsetof(KernelObject, kernel));
    Characters *model = &kernel->characters[number];
    PyObject *found = loaded(self, kernel->language_count + number, 6);
    if (!found) return -1;
    const void *chars = NULL, *keys = NULL;
    size_t char_count, cost_count;
    int failed = buffer_of(self, found, 0, 4, &chars, &char_count) < 0 ||
                 buffer_of(self, found, 1, 1, (const void **)&model->unigrams, &model->width) < 0 ||
                 buffer_of(self, found, 2, 1, (const void **)&model->gaps, &model->gap_count) < 0 ||
                 buffer_of(self, found, 3, 4, &keys, &model->key_count) < 0 ||
                 buffer_of(self, found, 4, 1, (const void **)&model->costs, &cost_count) < 0;
    model->keys = keys;
    if (!failed) {
        model->unseen = PyLong_AsLongLong(PyTuple_GetItem(found, 5));
        failed = model->unseen == -1 && PyErr_Occurred();
    }
    Py_DECREF(found);
    if (failed) return -1;
    if (model->width <= char_count || model->gap_count <= char_count || cost_count != model->key_count || char_count > 0xFFF0)
        return fails("a model of characters");
    const uint32_t *codes = chars;
    for (size_t i = 0; i < char_count; i++) {
        if (codes[i] >= 0x110000) return fails("a character");
        uint16_t **page = &model->numbers[codes[i] >> 8];
        if (!*page) *page = PyMem_Calloc(256, sizeof **page);
        if (!*page) {
            PyErr_NoMemory();
            return -1;
        }
        (*page)[codes[i] & 0xFF] = (uint16_t)(i + 2); /* numbers begin with 1, and 0 is none here */
    }
    PyMem_Free(model->rows);
    model->rows = PyMem_Calloc(model->width + 1, sizeof *model->rows);
    if (!model->rows) {
        PyErr_NoMemory();
        return -1;
    }
    size_t at = 0;
    for (size_t row = 0; row <= model->width; row++) {
        while (at < model->key_count && model->keys[at] < row * model->width) at++;
        model->rows[row] = (uint32_t)at;
    }
    model->is_loaded = 1;
    return 0;
}

/* Code points by the second byte, from a text that has for each second byte from `from` on what a character decodes to,
 * and a line feed. Where that is not one character there is none. */
static int fill_row(uint16_t *row, PyObject *text, int from)
{
    Py_ssize_t length = PyUnicode_GetLength(text), at = 0;
    for (int second = from; second < 256; second++) {
        Py_ssize_t start = at;
        uint32_t code = 0;
        for (; at < length; at++) {
            uint32_t here = PyUnicode_ReadChar(text, at);
            if (here == '\n') break;
            code = here;
        }
        if (at >= length) return -1;
        if (at - start == 1 && code < 0xFFFD) row[second] = (uint16_t)code;
        at++;
    }
    return at == length ? 0 : -1;
}

static int load_row(Kernel *kernel, int encoding, int first)
{
    KernelObject *self = (KernelObject *)((char *)kernel - offsetof(KernelObject, kernel));
    DoubleByte *page = &kernel->doubles[encoding];
    PyObject *text = PyObject_CallFunction(self->loader, "((ii))", encoding, first);
    uint16_t *row = text ? PyMem_Calloc(256, sizeof *row) : NULL;
    if (!row || !PyUnicode_Check(text) || fill_row(row, text, page->least_second) < 0) {
        if (text && !PyErr_Occurred()) row ? (void)fails("what the loader gave") : (void)PyErr_NoMemory();
        Py_XDECREF(text);
        PyMem_Free(row);
        return -1;
    }
    Py_DECREF(text);
    for (int second = 0; second < 256; second++)
        if (page->is_untold[second]) row[second] = UNTOLD;
    /* Another thread may have loaded it meanwhile. */
    if (page->rows[first])
        PyMem_Free(row);
    else
        page->rows[first] = row;
    return 0;
}

static int64_t price_double(Kernel *kernel, int encoding, Piece raw)
{
    KernelObject *self = (KernelObject *)((char *)kernel - offsetof(KernelObject, kernel));
    PyObject *found = PyObject_CallFunction(self->loader, "((iy#))", encoding, (const char *)raw.at, (Py_ssize_t)raw.length);
    long long cost = found ? PyLong_AsLongLong(found) : -1;
    Py_XDECREF(found);
    if (!PyErr_Occurred() && (cost < 0 || cost > kernel->is.never)) return fails("the cost that the loader gave");
    return PyErr_Occurred() ? -1 : cost;
}

/* ---- The object ---- */

static void kernel_free(PyObject *object)
{
    KernelObject *self = (KernelObject *)object;
    Kernel *kernel = &self->kernel;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (kernel->pages)
        for (int i = 0; i < kernel->encoding_count; i++)
            for (int high = 0; high < 256; high++) PyMem_Free(kernel->pages[i].bytes[high]);
    if (kernel->characters)
        for (int i = 0; i < kernel->character_count; i++) PyMem_Free(kernel->characters[i].rows);
    if (kernel->characters)
        for (int i = 0; i < kernel->character_count; i++)
            for (int page = 0; page < CODE_PAGES; page++) PyMem_Free(kernel->characters[i].numbers[page]);
    for (int i = 0; i < kernel->double_count; i++)
        for (int first = 0; first < 256; first++) PyMem_Free(kernel->doubles[i].rows[first]);
    PyMem_Free(kernel->doubles);
    PyMem_Free(kernel->weighing.characters);
    PyMem_Free(kernel->pairs);
    PyMem_Free(kernel->languages);
    PyMem_Free(kernel->pages);
    PyMem_Free(kernel->by_encoding);
    PyMem_Free(kernel->characters);
    PyMem_Free(kernel->row_costs);
    PyMem_Free(kernel->plain);
    PyMem_Free(kernel->columns.bigrams);
    PyMem_Free(kernel->columns.sizes);
    PyMem_Free(kernel->columns.letters);
    PyMem_Free(kernel->gains);
    PyMem_Free(kernel->kinds);
    PyMem_Free(kernel->outside);
    Py_CLEAR(self->loader);
    Py_CLEAR(self->names);
    Py_CLEAR(self->kept);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static int kernel_traverse(PyObject *object, visitproc visit, void *arg)
{
    KernelObject *self = (KernelObject *)object;
    Py_VISIT(self->loader);
    Py_VISIT(self->names);
    Py_VISIT(self->kept);
    Py_VISIT(Py_TYPE(object));
    return 0;
}

static PyObject *kernel_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *spec, *loader;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &spec, &loader)) return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    KernelObject *self = (KernelObject *)allocate(type, 0);
    if (!self) return NULL;
    Kernel *kernel = &self->kernel;
    kernel->load_letters = load_letters;
    kernel->load_characters = load_characters;
    kernel->load_row = load_row;
    kernel->price_double = price_double;
    self->loader = Py_NewRef(loader);
    self->kept = PyList_New(0);
    if (!self->kept || take_constants(self, spec) < 0 || copy_table(spec, "steps", kernel->steps, sizeof kernel->steps) < 0 ||
        copy_table(spec, "pair_steps", kernel->pair_steps, sizeof kernel->pair_steps) < 0 ||
        copy_table(spec, "half", kernel->half, 256) < 0 || take_clitics(self, spec) < 0 || take_languages(self, spec) < 0 ||
        take_kinds(self, spec) < 0 || take_weighing(kernel, spec) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    for (int byte = 0; byte < 256; byte++)
        if (kernel->half[byte] > 85) {
            fails("half");
            Py_DECREF(self);
            return NULL;
        }
    return (PyObject *)self;
}

/* Memory for `count` items; the one on the stack where that is enough. */
static void *scratch(void *stack, size_t size, size_t count, size_t item)
{
    if (count <= size) return stack;
    void *more = PyMem_Malloc(count * item);
    if (!more) PyErr_NoMemory();
    return more;
}

/* The pieces of a list of bytes. */
int pieces_of(PyObject *list, Piece *to)
{
    for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
        char *at;
        Py_ssize_t length;
        if (PyBytes_AsStringAndSize(PyList_GetItem(list, i), &at, &length) < 0) return -1;
        to[i].at = (const uint8_t *)at;
        to[i].length = (size_t)length;
    }
    return 0;
}

/* The lists of pairs in a tuple of tuples. */
int choices_of(const Kernel *kernel, PyObject *tuples, Choices *to)
{
    int used = 0;
    Py_ssize_t count = PyTuple_Size(tuples);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *list = PyTuple_GetItem(tuples, i);
        Py_ssize_t length = PyTuple_Check(list) ? PyTuple_Size(list) : 0;
        if (i >= MOST_CHOICES || !length || length > MOST_PAIRS - used) {
            PyErr_SetString(PyExc_ValueError, "There must be at most 64 tuples of pairs, none empty, of 1,000 in all.");
            return -1;
        }
        to->starts[i] = used;
        for (Py_ssize_t at = 0; at < length; at++) {
            long number = PyLong_AsLong(PyTuple_GetItem(list, at));
            if (number < 0 || number >= kernel->pair_count) {
                PyErr_SetString(PyExc_ValueError, "There is no such pair.");
                return -1;
            }
            to->numbers[used++] = (int)number;
        }
    }
    to->starts[count] = used;
    to->count = (int)count;
    return 0;
}

PyDoc_STRVAR(price_doc, "price(raw, pair) -> cost of the odd words of some bytes in a pair, without its prior");

static PyObject *kernel_price(PyObject *object, PyObject *args)
{
    Kernel *kernel = &((KernelObject *)object)->kernel;
    const char *raw;
    Py_ssize_t length;
    int pair;
    if (!PyArg_ParseTuple(args, "y#i", &raw, &length, &pair)) return NULL;
    if (pair < 0 || pair >= kernel->pair_count) {
        PyErr_SetString(PyExc_ValueError, "There is no such pair.");
        return NULL;
    }
    int64_t total = 0;
    size_t from = 0;
    Piece word;
    while (next_odd_word((const uint8_t *)raw, (size_t)length, &from, &word)) {
        int64_t cost = word_cost(kernel, &kernel->pairs[pair], word);
        if (cost < 0) return NULL;
        total += cost;
    }
    return PyLong_FromLongLong(total);
}

/* A text as code points, in `stack` if it is short. */
static uint32_t *points_of(PyObject *text, uint32_t *stack, size_t *length)
{
    Py_ssize_t count = PyUnicode_GetLength(text);
    if (count < 0) return NULL;
    *length = (size_t)count;
    uint32_t *to = scratch(stack, ON_STACK, (size_t)count, sizeof *to);
    if (to && !PyUnicode_AsUCS4(text, (Py_UCS4 *)to, (size_t)count > ON_STACK ? count : ON_STACK, 0)) {
        if (to != stack) PyMem_Free(to);
        return NULL;
    }
    return to;
}

PyDoc_STRVAR(alphabet_doc, "alphabet(text, toned, encodings, tonal, only) -> (pair, cost, lost)\n\n"
                           "The best pair for a text in the encodings that can write most of it, of one language or any\n"
                           "(-1); `toned` is the text for the encoding `tonal`. No encoding stands there twice. lost: what\n"
                           "none of them can write.");

static PyObject *kernel_alphabet(PyObject *object, PyObject *args)
{
    Kernel *kernel = &((KernelObject *)object)->kernel;
    PyObject *text, *toned, *list, *answer = NULL;
    int tonal, only, encodings[64], best[64], best_count = 0, pair = -1;
    if (!PyArg_ParseTuple(args, "UUO!ii", &text, &toned, &PyTuple_Type, &list, &tonal, &only)) return NULL;
    int count = (int)PyTuple_Size(list);
    if (count < 1 || count > 64) {
        PyErr_SetString(PyExc_ValueError, "There must be 1 to 64 encodings.");
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        long encoding = PyLong_AsLong(PyTuple_GetItem(list, i));
        if (encoding < 0 || encoding >= kernel->encoding_count) {
            if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "There is no such encoding.");
            return NULL;
        }
        for (int j = 0; j < i; j++)
            if (encodings[j] == (int)encoding) {
                /* `work` has places for each pair once. */
                PyErr_SetString(PyExc_ValueError, "An encoding stands there twice.");
                return NULL;
            }
        encodings[i] = (int)encoding;
    }
    uint32_t stack[ON_STACK], toned_stack[ON_STACK];
    uint8_t raw_stack[8 * ON_STACK];
    size_t length, toned_length, each;
    uint32_t *points = points_of(text, stack, &length), *toned_points = points;
    if (!points) return NULL;
    toned_length = length;
    uint8_t *raws = NULL;
    Piece pieces[64];
    int64_t least = INT64_MAX, marks[64], *work = NULL;
    if (toned != text && !(toned_points = points_of(toned, toned_stack, &toned_length))) goto done;
    each = (length > toned_length ? length : toned_length) + 1;
    raws = scratch(raw_stack, sizeof raw_stack, each * (size_t)count, 1);
    work = PyMem_Malloc((size_t)kernel->pair_count * WORK * sizeof *work);
    if (!raws || !work) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        goto done;
    }
    for (int i = 0; i < count; i++) {
        uint8_t *raw = raws + (size_t)i * each;
        int is_toned = encodings[i] == tonal;
        pieces[i].at = raw;
        pieces[i].length = is_toned ? toned_length : length;
        marks[i] = encode_in(kernel, encodings[i], is_toned ? toned_points : points, pieces[i].length, raw);
        if (marks[i] < least) least = marks[i];
    }
    for (int i = 0; i < count; i++)
        if (marks[i] == least) {
            best[best_count] = encodings[i];
            pieces[best_count++] = pieces[i];
        }
    int64_t asked = 0;
    for (size_t i = 0; i < length; i++) asked += points[i] == '?';
    int64_t cost = best_alphabet(kernel, best, pieces, best_count, only, &pair, work);
    if (cost >= 0)
        answer = Py_BuildValue("(iLL)", pair, (long long)cost, (long long)((least - asked) * kernel->is.lost));
done:
    if (points != stack) PyMem_Free(points);
    if (toned_points && toned_points != points && toned_points != toned_stack) PyMem_Free(toned_points);
    if (raws && raws != raw_stack) PyMem_Free(raws);
    PyMem_Free(work);
    return answer;
}

static PyMethodDef methods[] = {
    {"weigh", kernel_weigh, METH_VARARGS, weigh_doc},
    {"choose", kernel_choose, METH_VARARGS, choose_doc},
    {"grow", kernel_grow, METH_VARARGS, grow_doc},
    {"double", kernel_double, METH_VARARGS, double_doc},
    {"price", kernel_price, METH_VARARGS, price_doc},
    {"alphabet", kernel_alphabet, METH_VARARGS, alphabet_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Kernel(spec, loader): prices bytes and texts by the tables of a spec"},
    {Py_tp_new, kernel_new},
    {Py_tp_dealloc, kernel_free},
    {Py_tp_traverse, kernel_traverse},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec spec = {
    "mediacrawl.encoding._native.Kernel", sizeof(KernelObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots,
};

static int module_exec(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!type || PyModule_AddObjectRef(module, "Kernel", type) < 0) {
        Py_XDECREF(type);
        return -1;
    }
    Py_DECREF(type);
    return 0;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_native", "The arithmetic of mediacrawl's encoding detection.", 0, NULL, module_slots,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&module); }

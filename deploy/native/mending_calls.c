/* The methods that search for what a word in a double-byte encoding was before it lost bytes (mending.c). */
#include "calls.h"

#include <string.h>

#include "mending.h"

#define LONGEST_WORD 65536 /* units */
#define MOST_OPTIONS 4096 /* at one unit */
#define MOST_BEAM 1024
#define MOST_COST (1 << 24)

static int is_refused(const char *why)
{
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, why);
    return -1;
}

/* A character with how many units it takes, how many bytes are put in, and whether the models know such. */
static int option_of(PyObject *tuple, int left, Option *to)
{
    PyObject *text;
    if (!PyTuple_Check(tuple)) return is_refused("An option must be a tuple.");
    if (!PyArg_ParseTuple(tuple, "Uiip", &text, &to->used, &to->put_in, &to->is_known)) return -1;
    if (PyUnicode_GetLength(text) != 1) return is_refused("An option must be one character.");
    to->code = PyUnicode_ReadChar(text, 0);
    if (to->used < 1 || to->used > MOST_USED || to->used > left) return is_refused("A character takes 1 or 2 units.");
    return to->put_in < 0 || to->put_in > MOST_USED ? is_refused("At most 2 bytes are put in.") : 0;
}

static int cost_of(PyObject *number, int64_t *to)
{
    *to = number ? PyLong_AsLongLong(number) : -1;
    return PyErr_Occurred() || *to < 0 || *to > MOST_COST ? is_refused("A cost must be 0 to 2**24.") : 0;
}

/* How many options a list of tuples of them has, and the most at one unit; -1 with an error set. */
static int options_in(PyObject *lists, int *most)
{
    int count = 0;
    *most = 0;
    for (Py_ssize_t at = 0; at < PyList_Size(lists); at++) {
        PyObject *some = PyList_GetItem(lists, at);
        Py_ssize_t here = PyTuple_Check(some) ? PyTuple_Size(some) : -1;
        if (here < 0 || here > MOST_OPTIONS) return is_refused("The options of a unit must be a tuple.");
        if (here > *most) *most = (int)here;
        count += (int)here;
    }
    return count;
}

/* The text that ends so. `text` has room for the longest word. */
static PyObject *text_of(const Search *search, int end, Py_UCS4 *text, size_t most)
{
    size_t at = most;
    for (; search->ends[end].before >= 0; end = search->ends[end].before) text[--at] = search->ends[end].code;
    int order = PY_LITTLE_ENDIAN ? -1 : 1;
    return PyUnicode_DecodeUTF32((const char *)(text + at), (Py_ssize_t)((most - at) * sizeof *text), "surrogatepass", &order);
}

static PyObject *states_of(const Search *search, const Begun *words, int count, Py_UCS4 *text, size_t most)
{
    PyObject *answer = PyList_New(count);
    for (int i = 0; answer && i < count; i++) {
        PyObject *said = text_of(search, words[i].end, text, most), *state = NULL;
        if (said)
            state = Py_BuildValue("(LNiLL)", (long long)words[i].cost, said, words[i].put_in, (long long)words[i].paid,
                                  (long long)words[i].least);
        if (!state || PyList_SetItem(answer, i, state) < 0) Py_CLEAR(answer);
    }
    return answer;
}

const char grow_doc[] =
    "grow(options, kept, language, (put_in, plain, lone), beam) -> [(cost, text, bytes put in, cost of losses, least)]\n\n"
    "What a word can have been. options: for each unit a tuple of (character, units, bytes put in, whether the models\n"
    "know such). kept: what it costs to keep the mark that stands there; 0 where none does.";

PyObject *kernel_grow(PyObject *object, PyObject *args)
{
    Kernel *kernel = kernel_in(object);
    PyObject *lists, *kept, *answer = NULL;
    int language, beam, most, total;
    long long put_in, plain, lone;
    if (!PyArg_ParseTuple(args, "O!O!i(LLL)i", &PyList_Type, &lists, &PyList_Type, &kept, &language, &put_in, &plain, &lone, &beam))
        return NULL;
    Py_ssize_t count = PyList_Size(lists);
    if (language < 0 || language >= kernel->character_count || beam < 1 || beam > MOST_BEAM || count > LONGEST_WORD ||
        PyList_Size(kept) != count || put_in < 0 || put_in > MOST_COST || plain < 0 || plain > MOST_COST || lone < 0 ||
        lone > MOST_COST) {
        is_refused("There is no such language, beam, price or word.");
        return NULL;
    }
    if ((total = options_in(lists, &most)) < 0) return NULL;
    size_t units = (size_t)count, end_count = (size_t)beam * ((size_t)total + units) + 1, size = 2;
    size_t level = MOST_USED * (size_t)beam * ((size_t)most + 1) + 1;
    while (size < 2 * end_count) size *= 2;
    if (end_count > 1 << 26) {
        is_refused("The word is too long.");
        return NULL;
    }
    Search search = {.table_size = size};
    Option *options = PyMem_Malloc(((size_t)total + 1) * sizeof *options);
    int *starts = PyMem_Malloc((units + 1) * sizeof *starts);
    int64_t *costs = PyMem_Malloc((units + 1) * sizeof *costs);
    Py_UCS4 *text = PyMem_Malloc((units + 1) * sizeof *text);
    search.ends = PyMem_Malloc(end_count * sizeof *search.ends);
    search.table = PyMem_Malloc(size * sizeof *search.table);
    Begun *words = PyMem_Malloc(((MOST_USED + 1) * level + (size_t)beam) * sizeof *words);
    if (!options || !starts || !costs || !text || !search.ends || !search.table || !words) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t i = 0; i <= MOST_USED; i++) search.levels[i] = words + i * level;
    search.beam = words + (MOST_USED + 1) * level;
    int used = 0;
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *some = PyList_GetItem(lists, at);
        starts[at] = used;
        for (Py_ssize_t i = 0; i < PyTuple_Size(some); i++)
            if (option_of(PyTuple_GetItem(some, i), (int)(count - at), &options[used++]) < 0) goto done;
        if (cost_of(PyList_GetItem(kept, at), &costs[at]) < 0) goto done;
    }
    starts[count] = used;
    Gapped word = {options, starts, costs, (int)count, put_in, plain, lone, beam};
    int found = 0;
    const Begun *finished = grow(kernel, &word, language, &search, &found);
    if (finished) answer = states_of(&search, finished, found, text, units + 1);
done:
    PyMem_Free(options);
    PyMem_Free(starts);
    PyMem_Free(costs);
    PyMem_Free(text);
    PyMem_Free(search.ends);
    PyMem_Free(search.table);
    PyMem_Free(words);
    return answer;
}

const char double_doc[] = "double(raw, encoding) -> what bytes cost in a double-byte encoding; None where Python must decode them";

PyObject *kernel_double(PyObject *object, PyObject *args)
{
    Kernel *kernel = kernel_in(object);
    const char *raw;
    Py_ssize_t length;
    int encoding;
    size_t count;
    uint32_t stack[256], *points = stack;
    if (!PyArg_ParseTuple(args, "y#i", &raw, &length, &encoding)) return NULL;
    if (encoding < 0 || encoding >= kernel->double_count) {
        PyErr_SetString(PyExc_ValueError, "There is no such encoding.");
        return NULL;
    }
    if (length > 256 && !(points = PyMem_Malloc((size_t)length * sizeof *points))) return PyErr_NoMemory();
    int64_t cost = double_cost(kernel, encoding, (const uint8_t *)raw, (size_t)length, points, &count);
    if (points != stack) PyMem_Free(points);
    if (cost == -2) Py_RETURN_NONE;
    return cost < 0 ? NULL : PyLong_FromLongLong(cost);
}

/* What the files with methods of `mediacrawl.encoding._native.Kernel` share. */
#ifndef MEDIACRAWL_CALLS_H
#define MEDIACRAWL_CALLS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "pricing.h"

#define MOST_PAIRS 1000
#define MOST_CHOICES 64
#define WORK 4 /* numbers for each pair that the arithmetic wants to write to */

Kernel *kernel_in(PyObject *object);

/* Sets a ValueError on the tables, unless an error is set. Always -1. */
int fails(const char *what);

/* Members of the spec; 0, or -1 with an error set. */
int copy_table(PyObject *spec, const char *name, uint8_t *to, Py_ssize_t length);
int integer_of(PyObject *spec, const char *name, int64_t *to);
int small_integer(PyObject *spec, const char *name, int64_t least, int64_t most, int *to);
PyObject *list_of(PyObject *spec, const char *name, Py_ssize_t least, Py_ssize_t most); /* borrowed; NULL with an error */

/* The pieces of a list of bytes. 0, or -1 with an error set. */
int pieces_of(PyObject *list, Piece *to);

/* The lists of pairs in a tuple of tuples. `to` has room for `MOST_PAIRS` numbers and `MOST_CHOICES` lists. 0, or -1 with
 * an error set. */
int choices_of(const Kernel *kernel, PyObject *tuples, Choices *to);

/* weighing_calls.c */
int take_weighing(Kernel *kernel, PyObject *spec);
PyObject *kernel_weigh(PyObject *object, PyObject *args);
PyObject *kernel_choose(PyObject *object, PyObject *args);
extern const char weigh_doc[], choose_doc[];

/* mending_calls.c */
PyObject *kernel_grow(PyObject *object, PyObject *args);
PyObject *kernel_double(PyObject *object, PyObject *args);
extern const char grow_doc[], double_doc[];

#endif

"""Detection of encodings: a record's fields (`detector`), a whole document (`document`), Unicode forms (`forms`)."""

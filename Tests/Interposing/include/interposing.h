/* Stands before `write`, `fsync`, `fdatasync`, `OPENSSL_cleanse` and `explicit_bzero` in the executable of the tests, so that tests can ask what was synced and
 * what was wiped. Calls of SQLite and of the modules under test come here; each does what it is for, too. */
#ifndef INTERPOSING_H
#define INTERPOSING_H
#include <stddef.h>

/* How often the file with this path was synced, of the last 65,536 syncs. */
int interposed_syncs(const char *path);
/* How often the files in this folder, and not in folders of it, were synced. */
int interposed_syncs_within(const char *folder);
/* The next `count` syncs of this file take 50 ms and fail with EIO; none of them any more if 0. */
void interposed_fail_syncs(const char *path, int count);
/* The next `count` writes to this file fail with ENOSPC; none of them any more if 0. */
void interposed_fail_writes(const char *path, int count);
/* From now on wipes of memory that has these bytes are counted. Returns a number to ask with, -1 if there are too many. */
int interposed_watch(const void *bytes, size_t count);
int interposed_wipes(int watched);

#endif

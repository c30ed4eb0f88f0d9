#include <sqlite3.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Swift cannot spell this macro: a cast of -1 to a function pointer. */
static inline sqlite3_destructor_type cloakroom_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/* Whether the log is left alone when a connection closes. Variadic in C. */
static inline int cloakroom_sqlite_keep_log(sqlite3 *db, int keep) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, (int *)0);
}

/*
 * Gives the connection small pieces of memory of its own, among them some that hold a row of a whole page: a statement takes a copy of what
 * it reads, and memory of that size is slow to get from malloc and to give back. Before its first statement. Variadic in C.
 */
static inline int cloakroom_sqlite_keep_memory(sqlite3 *db) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, 4352, 32);
}

/* Without SQLite's memory statistics, which take a global lock at every allocation. Before the first connection. */
static inline int cloakroom_sqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/* What tools call the thread; the kernel keeps 15 bytes. Variadic in C. */
static inline void cloakroom_name_database_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/* By so many steps of `nice`, for the calling thread alone: 0 means that to the kernel, although POSIX has it mean the process. */
static inline void cloakroom_lower_thread_priority(int steps) { setpriority(PRIO_PROCESS, 0, steps); }

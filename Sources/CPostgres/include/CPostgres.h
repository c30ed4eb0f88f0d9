#ifndef CLOAKROOM_CPOSTGRES_H
#define CLOAKROOM_CPOSTGRES_H

#include <postgresql/libpq-fe.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

/* libpq is loaded when a vault asks for it: a vault in one file needs neither the library nor the memory that it
   and its dependencies take. The functions below are libpq's own, under our prefix; none may be called before this has returned
   NULL. Otherwise it returns why the library cannot be used. For one thread at a time. */
const char *cloakroom_pq_load(void);

/* As PQlibVersion counts: 150012 is 15.12. */
int cloakroom_pq_library_version(void);

PGconn *cloakroom_pq_connect(const char *const *keywords, const char *const *values);
void cloakroom_pq_finish(PGconn *connection);
ConnStatusType cloakroom_pq_status(const PGconn *connection);
PGTransactionStatusType cloakroom_pq_transaction_status(const PGconn *connection);
const char *cloakroom_pq_connection_error(const PGconn *connection);
/* Messages of the server go nowhere: they may quote what they are about. */
void cloakroom_pq_be_quiet(PGconn *connection);
/* The calls that follow wait for so many milliseconds, or until there is something to be read from `stop`, a descriptor. After NULL
   the connection is of no more use: the answer to what was asked may still come. */
struct cloakroom_pq_wait_limit { int milliseconds; int stop; };
/* Without parameters; the result of the last command. */
PGresult *cloakroom_pq_execute(PGconn *connection, const char *commands, struct cloakroom_pq_wait_limit limit);
PGresult *cloakroom_pq_prepare(PGconn *connection, const char *name, const char *query,
                               struct cloakroom_pq_wait_limit limit);
/* By the name under which it was prepared, or, without a name, by its text. */
struct cloakroom_pq_statement { const char *name; const char *text; };
/* Parameters and results in binary. */
PGresult *cloakroom_pq_run(PGconn *connection, struct cloakroom_pq_statement statement, int count,
                           const char *const *values, const int *lengths, struct cloakroom_pq_wait_limit limit);
/* Between entering and leaving a pipeline, commands are sent without waiting for their results; a sync ends those that a failure
   skips. All return 1, or 0 if the connection is of no more use. */
int cloakroom_pq_enter_pipeline(PGconn *connection);
int cloakroom_pq_exit_pipeline(PGconn *connection);
int cloakroom_pq_sync(PGconn *connection);
int cloakroom_pq_send(PGconn *connection, struct cloakroom_pq_statement statement, int count, const char *const *values,
                      const int *lengths);
/* One for each command that was sent, in order, and one for the sync. */
PGresult *cloakroom_pq_next_result(PGconn *connection, struct cloakroom_pq_wait_limit limit);
ExecStatusType cloakroom_pq_result_status(const PGresult *result);
/* SQLSTATE, five characters, or NULL. */
const char *cloakroom_pq_state(const PGresult *result);
/* Whether the server's message is an ERROR, which ends a statement, and not FATAL or PANIC, which end the session. */
int cloakroom_pq_is_error(const PGresult *result);
/* The name of the constraint that was violated, or NULL. */
const char *cloakroom_pq_constraint(const PGresult *result);
int cloakroom_pq_row_count(const PGresult *result);
int cloakroom_pq_column_count(const PGresult *result);
int cloakroom_pq_is_null(const PGresult *result, int row, int column);
const char *cloakroom_pq_value(const PGresult *result, int row, int column);
int cloakroom_pq_length(const PGresult *result, int row, int column);
/* What was done, as the server says it: "COMMIT". */
const char *cloakroom_pq_command(PGresult *result);
/* Rows that a command has changed, as digits. */
const char *cloakroom_pq_changes(PGresult *result);
void cloakroom_pq_clear(PGresult *result);

static inline int cloakroom_pq_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/* What tools call the thread; the kernel keeps 15 bytes. Variadic in C. */
static inline void cloakroom_name_postgres_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#endif

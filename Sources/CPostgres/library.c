#include "CPostgres.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

/* Each with the type that libpq's own header gives it. */
#define FUNCTIONS(each)       \
    each(PQlibVersion)        \
    each(PQconnectdbParams)   \
    each(PQfinish)            \
    each(PQstatus)            \
    each(PQtransactionStatus) \
    each(PQerrorMessage)      \
    each(PQsetNoticeReceiver) \
    each(PQsetnonblocking)    \
    each(PQsocket)            \
    each(PQflush)             \
    each(PQisBusy)            \
    each(PQconsumeInput)      \
    each(PQgetResult)         \
    each(PQsendQuery)         \
    each(PQsendPrepare)       \
    each(PQsendQueryPrepared) \
    each(PQsendQueryParams)   \
    each(PQenterPipelineMode) \
    each(PQexitPipelineMode)  \
    each(PQpipelineSync)      \
    each(PQresultStatus)      \
    each(PQresultErrorField)  \
    each(PQntuples)           \
    each(PQnfields)           \
    each(PQgetisnull)         \
    each(PQgetvalue)          \
    each(PQgetlength)         \
    each(PQcmdStatus)         \
    each(PQcmdTuples)         \
    each(PQclear)

#define POINTER(name) static __typeof__(&name) pointer_to_##name;
FUNCTIONS(POINTER)

const char *cloakroom_pq_load(void) {
    static void *library;
    if (library) return NULL;
    void *opened = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!opened) return "the library libpq.so.5 is not there (Debian: apt-get install libpq5)";
#define LOOK_UP(name) \
    if (!(pointer_to_##name = (__typeof__(&name))dlsym(opened, #name))) return "the library libpq.so.5 has no " #name;
    FUNCTIONS(LOOK_UP)
    library = opened;
    return NULL;
}

#define PARAMETERS 16
static const int binary[PARAMETERS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static void ignore(void *argument, const PGresult *result) { (void)argument, (void)result; }

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* Sends what is left to be sent and waits until the next result can be had without waiting; 0 if it does not come. */
static int await(PGconn *connection, long long deadline, int stop) {
    for (;;) {
        int unsent = pointer_to_PQflush(connection);
        if (unsent < 0) return 0;
        if (!unsent && !pointer_to_PQisBusy(connection)) return 1;
        long long left = deadline - now();
        if (left <= 0) return 0;
        struct pollfd files[] = {
            {.fd = pointer_to_PQsocket(connection), .events = (short)(unsent ? POLLIN | POLLOUT : POLLIN)},
            {.fd = stop, .events = POLLIN},
        };
        int count = poll(files, 2, (int)left);
        if (count < 0 && errno != EINTR) return 0;
        if (files[1].revents) return 0;
        if (count > 0 && files[0].revents & ~POLLOUT && !pointer_to_PQconsumeInput(connection)) return 0;
    }
}

/* The last result of what was sent: a command that fails is the last that is carried out. */
static PGresult *result(PGconn *connection, int is_sent, struct cloakroom_pq_wait_limit limit) {
    long long deadline = now() + limit.milliseconds;
    PGresult *last = NULL, *next = NULL;
    if (!is_sent) return NULL;
    while (await(connection, deadline, limit.stop)) {
        if (!(next = pointer_to_PQgetResult(connection))) return last;
        if (last) pointer_to_PQclear(last);
        last = next;
    }
    if (last) pointer_to_PQclear(last);
    return NULL;
}

int cloakroom_pq_library_version(void) { return pointer_to_PQlibVersion(); }

PGconn *cloakroom_pq_connect(const char *const *keywords, const char *const *values) {
    PGconn *connection = pointer_to_PQconnectdbParams(keywords, values, 1);
    if (connection && pointer_to_PQstatus(connection) == CONNECTION_OK) pointer_to_PQsetnonblocking(connection, 1);
    return connection;
}
void cloakroom_pq_finish(PGconn *connection) { pointer_to_PQfinish(connection); }
ConnStatusType cloakroom_pq_status(const PGconn *connection) { return pointer_to_PQstatus(connection); }
PGTransactionStatusType cloakroom_pq_transaction_status(const PGconn *connection) {
    return pointer_to_PQtransactionStatus(connection);
}
const char *cloakroom_pq_connection_error(const PGconn *connection) { return pointer_to_PQerrorMessage(connection); }
void cloakroom_pq_be_quiet(PGconn *connection) { pointer_to_PQsetNoticeReceiver(connection, ignore, NULL); }
PGresult *cloakroom_pq_execute(PGconn *connection, const char *commands, struct cloakroom_pq_wait_limit limit) {
    return result(connection, pointer_to_PQsendQuery(connection, commands), limit);
}
PGresult *cloakroom_pq_prepare(PGconn *connection, const char *name, const char *query,
                               struct cloakroom_pq_wait_limit limit) {
    return result(connection, pointer_to_PQsendPrepare(connection, name, query, 0, NULL), limit);
}
int cloakroom_pq_send(PGconn *connection, struct cloakroom_pq_statement statement, int count, const char *const *values,
                      const int *lengths) {
    if (count > PARAMETERS) return 0;
    return statement.name ? pointer_to_PQsendQueryPrepared(connection, statement.name, count, values, lengths, binary, 1)
                          : pointer_to_PQsendQueryParams(connection, statement.text, count, NULL, values, lengths, binary, 1);
}
PGresult *cloakroom_pq_run(PGconn *connection, struct cloakroom_pq_statement statement, int count,
                           const char *const *values, const int *lengths, struct cloakroom_pq_wait_limit limit) {
    return result(connection, cloakroom_pq_send(connection, statement, count, values, lengths), limit);
}
int cloakroom_pq_enter_pipeline(PGconn *connection) { return pointer_to_PQenterPipelineMode(connection); }
int cloakroom_pq_exit_pipeline(PGconn *connection) { return pointer_to_PQexitPipelineMode(connection); }
int cloakroom_pq_sync(PGconn *connection) { return pointer_to_PQpipelineSync(connection); }
PGresult *cloakroom_pq_next_result(PGconn *connection, struct cloakroom_pq_wait_limit limit) {
    long long deadline = now() + limit.milliseconds;
    /* The results of one command end in NULL; those of two commands never do so at once. */
    for (int ends = 0; ends < 2 && await(connection, deadline, limit.stop); ends++) {
        PGresult *next = pointer_to_PQgetResult(connection);
        if (next) return next;
    }
    return NULL;
}
ExecStatusType cloakroom_pq_result_status(const PGresult *result) { return pointer_to_PQresultStatus(result); }
const char *cloakroom_pq_state(const PGresult *result) { return pointer_to_PQresultErrorField(result, PG_DIAG_SQLSTATE); }
int cloakroom_pq_is_error(const PGresult *result) {
    const char *severity = pointer_to_PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    return severity && strcmp(severity, "ERROR") == 0;
}
const char *cloakroom_pq_constraint(const PGresult *result) {
    return pointer_to_PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
}
int cloakroom_pq_column_count(const PGresult *result) { return pointer_to_PQnfields(result); }
int cloakroom_pq_row_count(const PGresult *result) { return pointer_to_PQntuples(result); }
int cloakroom_pq_is_null(const PGresult *result, int row, int column) {
    return pointer_to_PQgetisnull(result, row, column);
}
const char *cloakroom_pq_value(const PGresult *result, int row, int column) {
    return pointer_to_PQgetvalue(result, row, column);
}
int cloakroom_pq_length(const PGresult *result, int row, int column) { return pointer_to_PQgetlength(result, row, column); }
const char *cloakroom_pq_command(PGresult *result) { return pointer_to_PQcmdStatus(result); }
const char *cloakroom_pq_changes(PGresult *result) { return pointer_to_PQcmdTuples(result); }
void cloakroom_pq_clear(PGresult *result) { pointer_to_PQclear(result); }

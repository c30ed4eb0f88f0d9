#include "CPostgres.h"

#include <dlfcn.h>
#include <stddef.h>

/* Each with the type that libpq's own header gives it. */
#define FUNCTIONS(each)       \
    each(PQconnectdbParams)   \
    each(PQfinish)            \
    each(PQstatus)            \
    each(PQtransactionStatus) \
    each(PQerrorMessage)      \
    each(PQsetNoticeReceiver) \
    each(PQexec)              \
    each(PQprepare)           \
    each(PQexecPrepared)      \
    each(PQresultStatus)      \
    each(PQresultErrorField)  \
    each(PQntuples)           \
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

static void ignore(void *argument, const PGresult *result) { (void)argument, (void)result; }

PGconn *cloakroom_pq_connect(const char *const *keywords, const char *const *values) {
    return pointer_to_PQconnectdbParams(keywords, values, 1);
}
void cloakroom_pq_finish(PGconn *connection) { pointer_to_PQfinish(connection); }
ConnStatusType cloakroom_pq_status(const PGconn *connection) { return pointer_to_PQstatus(connection); }
PGTransactionStatusType cloakroom_pq_transaction_status(const PGconn *connection) {
    return pointer_to_PQtransactionStatus(connection);
}
const char *cloakroom_pq_connection_error(const PGconn *connection) { return pointer_to_PQerrorMessage(connection); }
void cloakroom_pq_be_quiet(PGconn *connection) { pointer_to_PQsetNoticeReceiver(connection, ignore, NULL); }
PGresult *cloakroom_pq_execute(PGconn *connection, const char *commands) {
    return pointer_to_PQexec(connection, commands);
}
PGresult *cloakroom_pq_prepare(PGconn *connection, const char *name, const char *query) {
    return pointer_to_PQprepare(connection, name, query, 0, NULL);
}
PGresult *cloakroom_pq_execute_prepared(PGconn *connection, const char *name, int count, const char *const *values,
                                        const int *lengths) {
    static const int binary[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    if (count > 16) return NULL;
    return pointer_to_PQexecPrepared(connection, name, count, values, lengths, binary, 1);
}
ExecStatusType cloakroom_pq_result_status(const PGresult *result) { return pointer_to_PQresultStatus(result); }
const char *cloakroom_pq_state(const PGresult *result) { return pointer_to_PQresultErrorField(result, PG_DIAG_SQLSTATE); }
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

#include "CHiredis.h"

#include <dlfcn.h>
#include <stddef.h>

/* Each with the type that hiredis's own headers give it. */
#define FUNCTIONS(each)         \
    each(redisReaderCreate)     \
    each(redisReaderFree)       \
    each(redisReaderFeed)       \
    each(redisReaderGetReply)   \
    each(freeReplyObject)

#define POINTER(name) static __typeof__(&name) pointer_to_##name;
FUNCTIONS(POINTER)

/* The version that the headers are of: the layout of replies differs between versions. */
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define LIBRARY "libhiredis.so." TEXT(HIREDIS_SONAME)

/* hiredis's own functions, but for arrays: it would set memory aside for as many elements as the other side announces. */
static redisReplyObjectFunctions functions;
static void *(*create_array)(const redisReadTask *, int);

static void *create_bounded_array(const redisReadTask *task, int elements) {
    return elements > CLOAKROOM_REDIS_ELEMENTS ? NULL : create_array(task, elements);
}

const char *cloakroom_redis_load(void) {
    static void *library;
    if (library) return NULL;
    void *opened = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!opened) return "the library " LIBRARY " is not there (Debian 12: apt-get install libhiredis0.14)";
#define LOOK_UP(name) \
    if (!(pointer_to_##name = (__typeof__(&name))dlsym(opened, #name))) return "the library " LIBRARY " has no " #name;
    FUNCTIONS(LOOK_UP)
    redisReader *reader = pointer_to_redisReaderCreate();
    if (!reader) return "out of memory";
    functions = *reader->fn;
    create_array = functions.createArray;
    functions.createArray = create_bounded_array;
    pointer_to_redisReaderFree(reader);
    library = opened;
    return NULL;
}

redisReader *cloakroom_redis_reader(void) {
    redisReader *reader = pointer_to_redisReaderCreate();
    if (reader) reader->fn = &functions;
    return reader;
}
void cloakroom_redis_free_reader(redisReader *reader) { pointer_to_redisReaderFree(reader); }
int cloakroom_redis_feed(redisReader *reader, const char *bytes, size_t count) {
    return pointer_to_redisReaderFeed(reader, bytes, count);
}
int cloakroom_redis_reply(redisReader *reader, redisReply **reply) {
    return pointer_to_redisReaderGetReply(reader, (void **)reply);
}
void cloakroom_redis_free_reply(redisReply *reply) { pointer_to_freeReplyObject(reply); }

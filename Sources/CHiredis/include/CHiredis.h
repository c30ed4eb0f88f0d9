#ifndef CLOAKROOM_CHIREDIS_H
#define CLOAKROOM_CHIREDIS_H

#include <hiredis/hiredis.h>

/* hiredis is loaded when a vault asks for it: one without Redis needs neither the library nor its memory. The functions below are
   hiredis's own, under our prefix; none may be called before this has returned NULL. Otherwise it returns why the library cannot be
   used. For one thread at a time.

   Only the reading of replies is hiredis's: connections, TLS and deadlines are those of EventIO, as for every other peer. */
const char *cloakroom_redis_load(void);

/* Elements of one array that are taken. */
#define CLOAKROOM_REDIS_ELEMENTS 65536

/* NULL without memory. */
redisReader *cloakroom_redis_reader(void);
void cloakroom_redis_free_reader(redisReader *reader);
/* Both return REDIS_OK, or something else if the bytes aren't RESP; the reply is NULL if it isn't complete. */
int cloakroom_redis_feed(redisReader *reader, const char *bytes, size_t count);
int cloakroom_redis_reply(redisReader *reader, redisReply **reply);
void cloakroom_redis_free_reply(redisReply *reply);

#endif

#define _GNU_SOURCE
#include "interposing.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYNCS = 65536, WATCHED = 256, LONGEST = 128, FAILING = 32 };

static struct { _Atomic uint64_t file, folder; } syncs[SYNCS];
static atomic_uint synced;

static uint64_t hash(const char *text, size_t count) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t index = 0; index < count; index++) hash = (hash ^ (unsigned char)text[index]) * 0x100000001b3u;
    return hash;
}

/* Recorded once the call has succeeded. */
static void note(int descriptor) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, sizeof path);
    if (count <= 0) return;
    size_t folder = (size_t)count;
    while (folder > 0 && path[folder - 1] != '/') folder--;
    unsigned place = atomic_fetch_add(&synced, 1) % SYNCS;
    atomic_store(&syncs[place].file, hash(path, (size_t)count));
    atomic_store(&syncs[place].folder, hash(path, folder ? folder - 1 : 0));
}

/* Calls that are to fail, by file. */
struct failing { uint64_t file; int left; };
static struct failing failing_syncs[FAILING], failing_writes[FAILING];
/* Files in both tables: most calls look no further than here. Not the calls that are to fail: of two files whose calls all are, the sum
   is no int. */
static atomic_int failing_files;
static pthread_mutex_t failing_lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether this call is to fail. */
static int fails(struct failing *table, int descriptor) {
    if (atomic_load(&failing_files) == 0) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, sizeof path);
    if (count <= 0) return 0;
    uint64_t file = hash(path, (size_t)count);
    int found = 0;
    pthread_mutex_lock(&failing_lock);
    for (int place = 0; place < FAILING && !found; place++) {
        if (table[place].file != file || table[place].left == 0) continue;
        if (--table[place].left == 0) atomic_fetch_sub(&failing_files, 1);
        found = 1;
    }
    pthread_mutex_unlock(&failing_lock);
    return found;
}

static int sync_fails(int descriptor) {
    if (!fails(failing_syncs, descriptor)) return 0;
    /* As a failing disk does: what comes meanwhile has to wait. */
    usleep(50000);
    errno = EIO;
    return 1;
}

int fsync(int descriptor) {
    if (sync_fails(descriptor)) return -1;
    int outcome = (int)syscall(SYS_fsync, descriptor);
    if (outcome == 0) note(descriptor);
    return outcome;
}

int fdatasync(int descriptor) {
    if (sync_fails(descriptor)) return -1;
    int outcome = (int)syscall(SYS_fdatasync, descriptor);
    if (outcome == 0) note(descriptor);
    return outcome;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (fails(failing_writes, descriptor)) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    if (fails(failing_writes, descriptor)) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

/* Of the path without links, as descriptors have it. */
static uint64_t hash_resolved(const char *path) {
    char resolved[4096];
    if (!realpath(path, resolved)) snprintf(resolved, sizeof resolved, "%s", path);
    return hash(resolved, strlen(resolved));
}

/* A place of this file, or a free one. A test whose failure finds no place would pass for nothing. */
static void fail(struct failing *table, const char *path, int count) {
    uint64_t file = hash_resolved(path);
    pthread_mutex_lock(&failing_lock);
    int place = 0;
    while (place < FAILING && (table[place].file != file || table[place].left == 0)) place++;
    if (place == FAILING) for (place = 0; place < FAILING && table[place].left > 0;) place++;
    if (place == FAILING) abort();
    atomic_fetch_add(&failing_files, (count > 0) - (table[place].left > 0));
    table[place] = (struct failing){file, count};
    pthread_mutex_unlock(&failing_lock);
}

void interposed_fail_syncs(const char *path, int count) { fail(failing_syncs, path, count); }

void interposed_fail_writes(const char *path, int count) { fail(failing_writes, path, count); }

int interposed_syncs(const char *path) {
    int found = 0;
    uint64_t wanted = hash_resolved(path);
    for (int place = 0; place < SYNCS; place++) found += atomic_load(&syncs[place].file) == wanted;
    return found;
}

int interposed_syncs_within(const char *folder) {
    int found = 0;
    uint64_t wanted = hash_resolved(folder);
    for (int place = 0; place < SYNCS; place++) found += atomic_load(&syncs[place].folder) == wanted;
    return found;
}

static struct { unsigned char bytes[LONGEST]; size_t count; atomic_int wipes; } watched[WATCHED];
static atomic_int next_watched, ready_watched;

int interposed_watch(const void *bytes, size_t count) {
    int number = atomic_fetch_add(&next_watched, 1);
    if (number >= WATCHED || count == 0 || count > LONGEST) return -1;
    memcpy(watched[number].bytes, bytes, count);
    watched[number].count = count;
    /* In the order of their numbers. */
    while (atomic_load(&ready_watched) != number) usleep(10);
    atomic_store(&ready_watched, number + 1);
    return number;
}

int interposed_wipes(int number) { return number < 0 ? 0 : atomic_load(&watched[number].wipes); }

extern char __executable_start, etext;

/* Counted, and then done. OpenSSL wipes copies of its own, too: those are not counted, which come from a library. */
static void wipe(void *memory, size_t count, void *caller) {
    if (!memory || !count) return;
    int isOwn = (char *)caller >= &__executable_start && (char *)caller < &etext;
    int ready = isOwn ? atomic_load(&ready_watched) : 0;
    for (int number = 0; number < ready; number++)
        if (memmem(memory, count, watched[number].bytes, watched[number].count)) atomic_fetch_add(&watched[number].wipes, 1);
    memset(memory, 0, count);
    __asm__ __volatile__("" : : "r"(memory) : "memory");
}

void OPENSSL_cleanse(void *memory, size_t count) { wipe(memory, count, __builtin_return_address(0)); }

void explicit_bzero(void *memory, size_t count) { wipe(memory, count, __builtin_return_address(0)); }

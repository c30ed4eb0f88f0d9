#define _GNU_SOURCE
#include "interposing.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYNCS = 65536, WATCHED = 256, LONGEST = 128 };

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

static _Atomic uint64_t failing;
static atomic_int failures;

/* Whether this sync is to fail. */
static int fails(int descriptor) {
    if (atomic_load(&failures) <= 0) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t count = readlink(link, path, sizeof path);
    if (count <= 0 || hash(path, (size_t)count) != atomic_load(&failing)) return 0;
    if (atomic_fetch_sub(&failures, 1) <= 0) return 0;
    /* As a failing disk does: what comes meanwhile has to wait. */
    usleep(50000);
    errno = EIO;
    return 1;
}

int fsync(int descriptor) {
    if (fails(descriptor)) return -1;
    int outcome = (int)syscall(SYS_fsync, descriptor);
    if (outcome == 0) note(descriptor);
    return outcome;
}

int fdatasync(int descriptor) {
    if (fails(descriptor)) return -1;
    int outcome = (int)syscall(SYS_fdatasync, descriptor);
    if (outcome == 0) note(descriptor);
    return outcome;
}

static _Atomic uint64_t full;
static atomic_int refusals;

ssize_t write(int descriptor, const void *bytes, size_t count) {
    if (atomic_load(&refusals) > 0) {
        char link[64], path[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(link, path, sizeof path);
        if (length > 0 && hash(path, (size_t)length) == atomic_load(&full) && atomic_fetch_sub(&refusals, 1) > 0) {
            errno = ENOSPC;
            return -1;
        }
    }
    return syscall(SYS_write, descriptor, bytes, count);
}

/* Of the path without links, as descriptors have it. */
static uint64_t hash_resolved(const char *path) {
    char resolved[4096];
    if (!realpath(path, resolved)) snprintf(resolved, sizeof resolved, "%s", path);
    return hash(resolved, strlen(resolved));
}

void interposed_fail_syncs(const char *path, int count) {
    atomic_store(&failing, hash_resolved(path));
    atomic_store(&failures, count);
}

void interposed_fail_writes(const char *path, int count) {
    atomic_store(&full, hash_resolved(path));
    atomic_store(&refusals, count);
}

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

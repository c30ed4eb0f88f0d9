/*
 * Preloaded into a process: records what it writes into the files of a folder and what it syncs, makes some of these calls fail, and kills
 * the process at one of them. What a power cut would leave is made from the record afterwards (durability.py).
 *
 * Names are not modelled: a file that is made or removed is so after the cut, whether its folder was synced or not, and a rename is not seen.
 *
 * Environment:
 *   DURABILITY_FOLDER  files below it are tracked
 *   DURABILITY_RECORD  the record, outside the folder
 *   DURABILITY_SEED    of the random numbers
 *   DURABILITY_CUT     the number of the call at which the process is killed; 0 for never
 *   DURABILITY_FAULTS  of 10,000 calls so many fail
 *   DURABILITY_LIE     syncs of files whose path ends like this are not done, as in a build that leaves them out
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096];
static size_t folder_length;
static const char *lie = "";
static int record = -1;
static uint64_t state, calls, cut, faults;
/* As on Linux, each open file is told once that a sync of the file has failed, whichever asked for it. */
enum { FILES = 1024, NAMES = 64 };
static char names[NAMES][256];
static unsigned failures[NAMES];
static struct { int name; unsigned told; } opened[FILES];

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1Dull >> 16;
}

static uint64_t number(const char *name) {
    const char *text = getenv(name);
    return text ? strtoull(text, 0, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *place = getenv("DURABILITY_FOLDER"), *path = getenv("DURABILITY_RECORD");
    if (!place || !path || !realpath(place, folder)) return;
    folder_length = strlen(folder);
    state = number("DURABILITY_SEED") * 0x9E3779B97F4A7C15ull + 88172645463325252ull;
    cut = number("DURABILITY_CUT");
    faults = number("DURABILITY_FAULTS");
    if (getenv("DURABILITY_LIE")) lie = getenv("DURABILITY_LIE");
    record = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int ends(const char *text, const char *end) {
    size_t length = strlen(text), part = strlen(end);
    return part > 0 && length >= part && strcmp(text + length - part, end) == 0;
}

/* The name within the folder of a file that is tracked. */
static int name_of(int file, char *name, size_t size) {
    char link[64], path[4096];
    if (record < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= (ssize_t)folder_length || strncmp(path, folder, folder_length) != 0 || path[folder_length] != '/') return 0;
    path[length] = 0;
    /* The first is only memory that is shared by threads, the second holds nothing. */
    if (ends(path, "-shm") || ends(path, ".lock") || ends(path, " (deleted)")) return 0;
    snprintf(name, size, "%s", path + folder_length + 1);
    return 1;
}

/* The number of a name, from 1 on; 0 if there are too many. */
static int number_of(const char *name) {
    for (int index = 1; index < NAMES; index++) {
        if (names[index][0] == 0) snprintf(names[index], sizeof names[index], "%s", name);
        if (strcmp(names[index], name) == 0) return index;
    }
    return 0;
}

/* How often the open file has not been told of a failure; makes sure that it is known. */
static int untold(int file, const char *name) {
    int number = number_of(name);
    if (file < 0 || file >= FILES || number == 0) return 0;
    if (opened[file].name != number) {
        opened[file].name = number;
        opened[file].told = failures[number];
    }
    int is_new = opened[file].told != failures[number];
    return is_new;
}

static void note(char kind, const char *name, uint64_t offset, const void *bytes, uint64_t count) {
    uint64_t numbers[3] = {strlen(name), offset, kind == 'W' ? count : 0};
    struct iovec parts[4] = {{&kind, 1}, {numbers, sizeof numbers}, {(void *)name, numbers[0]}, {(void *)bytes, numbers[2]}};
    if (syscall(SYS_writev, record, parts, 4) < 0) abort();
}

static void end_process(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

/* What is to become of a call. `part` is how much of a write is done. */
static int fate(int is_sync, size_t count, size_t *part, int *kills) {
    *part = count;
    *kills = 0;
    if (++calls == cut) {
        *kills = 1;
        switch (next_random() % 3) {
        case 0: *part = 0; break;
        case 1: *part = count ? next_random() % count : 0; break;
        }
        return is_sync && *part == 0 ? EIO : 0;
    }
    if (next_random() % 10000 >= faults) return 0;
    if (is_sync) return EIO;
    switch (next_random() % 3) {
    case 0: *part = 0; return EIO;
    case 1: *part = 0; return ENOSPC;
    default: *part = count ? next_random() % count : 0; return 0;
    }
}

static ssize_t do_write(int file, const char *name, const void *bytes, size_t count, off_t offset, int positioned) {
    size_t part;
    int kills;
    pthread_mutex_lock(&lock);
    int failure = fate(0, count, &part, &kills);
    untold(file, name);
    if (!positioned) {
        struct stat status;
        int flags = fcntl(file, F_GETFL);
        offset = flags & O_APPEND && fstat(file, &status) == 0 ? status.st_size : lseek(file, 0, SEEK_CUR);
    }
    ssize_t result = failure ? -1 : 0;
    if (part > 0) {
        result = positioned ? syscall(SYS_pwrite64, file, bytes, part, offset) : syscall(SYS_write, file, bytes, part);
        if (result > 0) note('W', name, offset, bytes, result);
    }
    if (kills) end_process();
    pthread_mutex_unlock(&lock);
    if (failure) errno = failure;
    return result;
}

static int do_sync(int file, const char *name) {
    size_t part;
    int kills;
    pthread_mutex_lock(&lock);
    int failure = fate(1, 1, &part, &kills), number = number_of(name);
    if (untold(file, name)) failure = EIO;
    else if (failure) failures[number]++;
    if (file >= 0 && file < FILES) opened[file].told = failures[number];
    /* As on Linux: what a failed sync did not write is not written by the next one either. */
    if (!ends(name, lie)) note(failure ? 'F' : 'S', name, 0, 0, 0);
    if (kills) end_process();
    pthread_mutex_unlock(&lock);
    if (failure) errno = failure;
    return failure ? -1 : 0;
}

ssize_t write(int file, const void *bytes, size_t count) {
    char name[4096];
    if (!name_of(file, name, sizeof name)) return syscall(SYS_write, file, bytes, count);
    return do_write(file, name, bytes, count, 0, 0);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    char name[4096];
    if (!name_of(file, name, sizeof name)) return syscall(SYS_pwrite64, file, bytes, count, offset);
    return do_write(file, name, bytes, count, offset, 1);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return pwrite64(file, bytes, count, offset); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    char name[4096];
    if (!name_of(file, name, sizeof name)) return syscall(SYS_writev, file, parts, count);
    ssize_t all = 0;
    for (int index = 0; index < count; index++) {
        ssize_t one = do_write(file, name, parts[index].iov_base, parts[index].iov_len, 0, 0);
        if (one < 0) return all > 0 ? all : one;
        all += one;
        if ((size_t)one < parts[index].iov_len) break;
    }
    return all;
}

int fdatasync(int file) {
    char name[4096];
    return name_of(file, name, sizeof name) ? do_sync(file, name) : (int)syscall(SYS_fdatasync, file);
}

int fsync(int file) {
    char name[4096];
    return name_of(file, name, sizeof name) ? do_sync(file, name) : (int)syscall(SYS_fsync, file);
}

int ftruncate64(int file, off64_t size) {
    char name[4096];
    if (!name_of(file, name, sizeof name)) return (int)syscall(SYS_ftruncate, file, size);
    size_t part;
    int kills;
    pthread_mutex_lock(&lock);
    int failure = fate(0, 1, &part, &kills);
    int result = failure ? -1 : 0;
    if (part > 0 && !failure) {
        result = (int)syscall(SYS_ftruncate, file, size);
        if (result == 0) note('T', name, size, 0, 0);
    }
    if (kills) end_process();
    pthread_mutex_unlock(&lock);
    if (failure) errno = failure;
    return result;
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int close(int file) {
    pthread_mutex_lock(&lock);
    if (file >= 0 && file < FILES) opened[file].name = 0;
    pthread_mutex_unlock(&lock);
    return (int)syscall(SYS_close, file);
}

int unlink(const char *path) {
    char real[4096];
    pthread_mutex_lock(&lock);
    int tracked = record >= 0 && realpath(path, real) && strncmp(real, folder, folder_length) == 0 && real[folder_length] == '/';
    int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (tracked && result == 0) note('U', real + folder_length + 1, 0, 0, 0);
    pthread_mutex_unlock(&lock);
    return result;
}

// OpenSSL keeps the schedules of keys in memory that it takes from malloc, among everything else: only the whole process could be
// locked then, which most systems do not allow. Here what is allocated while a key is set up comes from pages of its own instead,
// few enough for the usual RLIMIT_MEMLOCK. OpenSSL's secure heap takes no contexts, and does not grow.
//
// One range of addresses is reserved and made usable in steps, so that two comparisons tell whether an address lies in it. Blocks have
// sizes in steps of 64 bytes, a list of free ones for each; a block is only used again for the same size.
#define _GNU_SOURCE
#include "key_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// The largest block is the table of powers of a signature with an RSA key, 16 KiB for one of 4,096 bits and 32 for twice that.
enum { STEP = 64, HEADER = 16, LARGEST = 64 << 10, PAGES = LARGEST };
#define RANGE ((size_t)64 << 20)

struct header {
    size_t size;
};

struct free_block {
    struct free_block *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// Set once, under the mutex. Read without it: a thread that has a pointer into the range got it after that.
static _Atomic(char *) start;
static size_t usable, used;
static struct free_block *free_blocks[LARGEST / STEP + 1];
static bool failed;
static _Thread_local int depth;

// Memory that must not be given away as it is: a memset that the compiler keeps.
static void wipe(void *pointer, size_t size) {
    memset(pointer, 0, size);
    __asm__ __volatile__("" : : "r"(pointer) : "memory");
}

// Makes more of the range usable. A page that can't be locked is used all the same: `is_locked` tells.
static bool grow(void) {
    if (!start) {
        void *range = mmap(NULL, RANGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED) return false;
        start = range;
    }
    if (usable + PAGES > RANGE || mprotect(start + usable, PAGES, PROT_READ | PROT_WRITE)) return false;
    if (madvise(start + usable, PAGES, MADV_DONTDUMP)) failed = true;
    if (mlock(start + usable, PAGES)) failed = true;
    usable += PAGES;
    return true;
}

void *cloakroom_key_memory_allocate(size_t size) {
    size_t whole = (size + HEADER + STEP - 1) / STEP * STEP;
    void *block = NULL;
    pthread_mutex_lock(&mutex);
    if (size <= LARGEST - HEADER) {
        struct free_block *known = free_blocks[whole / STEP];
        if (known) {
            free_blocks[whole / STEP] = known->next;
            known->next = NULL;
            block = known;
        } else if (used + whole <= usable || grow()) {
            block = start + used;
            used += whole;
        }
    }
    if (!block) failed = true;
    pthread_mutex_unlock(&mutex);
    if (!block) return NULL;
    ((struct header *)block)->size = whole;
    return (char *)block + HEADER;
}

void cloakroom_key_memory_free(void *pointer) {
    if (!pointer) return;
    char *block = (char *)pointer - HEADER;
    size_t whole = ((struct header *)block)->size;
    wipe(block, whole);
    pthread_mutex_lock(&mutex);
    ((struct free_block *)block)->next = free_blocks[whole / STEP];
    free_blocks[whole / STEP] = (struct free_block *)block;
    pthread_mutex_unlock(&mutex);
}

bool cloakroom_key_memory_holds(const void *pointer) {
    char *begin = atomic_load_explicit(&start, memory_order_relaxed);
    return begin && (uintptr_t)pointer - (uintptr_t)begin < RANGE;
}

bool cloakroom_key_memory_is_locked(void) {
    pthread_mutex_lock(&mutex);
    bool is_locked = !failed;
    pthread_mutex_unlock(&mutex);
    return is_locked;
}

void cloakroom_key_memory_enter(void) { depth++; }

void cloakroom_key_memory_leave(void) { depth--; }

void *cloakroom_key_memory_crypto_malloc(size_t size, const char *file, int line) {
    (void)file, (void)line;
    // As OpenSSL's own function does.
    if (size == 0) return NULL;
    void *block = depth > 0 ? cloakroom_key_memory_allocate(size) : NULL;
    return block ? block : malloc(size);
}

void *cloakroom_key_memory_crypto_realloc(void *pointer, size_t size, const char *file, int line) {
    if (!pointer) return cloakroom_key_memory_crypto_malloc(size, file, line);
    if (size == 0) {
        cloakroom_key_memory_crypto_free(pointer, file, line);
        return NULL;
    }
    if (!cloakroom_key_memory_holds(pointer)) return realloc(pointer, size);
    size_t room = ((struct header *)((char *)pointer - HEADER))->size - HEADER;
    if (size <= room) return pointer;
    void *moved = cloakroom_key_memory_allocate(size);
    if (!moved) moved = malloc(size);
    if (!moved) return NULL;
    memcpy(moved, pointer, room);
    cloakroom_key_memory_free(pointer);
    return moved;
}

void cloakroom_key_memory_crypto_free(void *pointer, const char *file, int line) {
    (void)file, (void)line;
    if (cloakroom_key_memory_holds(pointer)) cloakroom_key_memory_free(pointer);
    else free(pointer);
}

// The allocator's functions that give memory back, in a form that wipes it first (PCI DSS 4.0, requirement 3.2.1: what is
// no longer needed is made unrecoverable). Linked into the executable, they are the ones that every library of the process
// calls: Swift's runtime, libevent, OpenSSL, SQLite, libc itself, whose own calls go through the same symbols.
//
// Everything else stays glibc's: what malloc, calloc, memalign and their kin give out is freed here and passed on.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern void __libc_free(void *pointer);
extern void *__libc_malloc(size_t size);
extern void *__libc_realloc(void *pointer, size_t size);

// A memset that the compiler must not leave out for being the last thing done to the memory.
static inline void wipe(void *pointer, size_t size) {
    memset(pointer, 0, size);
    __asm__ __volatile__("" : : "r"(pointer) : "memory");
}

void free(void *pointer) {
    if (!pointer) return;
    // Callers may rely on errno surviving free (POSIX.1-2024).
    wipe(pointer, malloc_usable_size(pointer));
    __libc_free(pointer);
}

void cfree(void *pointer) { free(pointer); }

void *realloc(void *pointer, size_t size) {
    if (!pointer) return __libc_malloc(size);
    if (size == 0) {
        free(pointer);
        return NULL;
    }
    size_t usable = malloc_usable_size(pointer);
    // What fits stays where it is, unless much would lie idle; the rest of it is given up, so it is wiped.
    if (size <= usable && size >= usable / 2) {
        wipe((char *)pointer + size, usable - size);
        return pointer;
    }
    void *moved = __libc_malloc(size);
    if (!moved) return NULL;
    memcpy(moved, pointer, size < usable ? size : usable);
    wipe(pointer, usable);
    __libc_free(pointer);
    return moved;
}

void *reallocarray(void *pointer, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(pointer, bytes);
}

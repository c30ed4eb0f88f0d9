// What Embedded Swift needs of a C library, for wasm32 without one: an allocator that wipes what is freed (PCI DSS 4.0, requirement
// 3.2.1), memory functions, and arithmetic on 128 bits. Compiled with -ffreestanding -fno-builtin.
//
// One thread; the host calls one export at a time.
#include <stddef.h>
#include <stdint.h>

#define PAGE 65536u
#define ALIGNMENT 16u
// Blocks up to this size have a class for each multiple of 16 bytes; larger ones four classes for each power of two.
#define SMALL 1024u
#define SMALL_CLASSES (SMALL / ALIGNMENT)
#define CLASSES (SMALL_CLASSES + 4 * 21)
// Larger requests fail, so that no sum of sizes overflows 32 bits.
#define LARGEST (1u << 30)

// Set by the linker: the first byte after static data and stack.
extern unsigned char __heap_base;

// Before each block. Its size keeps blocks aligned.
struct header {
    uint32_t size_class;
    uint32_t size;
    struct header *next;
    uint32_t unused;
};

static struct header *free_blocks[CLASSES];
// The end of the memory that has been given out, and of the memory that there is.
static uintptr_t top, end;

void *memset(void *target, int value, size_t count) {
    unsigned char *bytes = target;
    for (; count && (uintptr_t)bytes % 8; count--) *bytes++ = (unsigned char)value;
    uint64_t word = 0x0101010101010101u * (unsigned char)value;
    for (; count >= 8; count -= 8, bytes += 8) *(uint64_t *)bytes = word;
    while (count--) *bytes++ = (unsigned char)value;
    return target;
}

void *memmove(void *target, const void *source, size_t count) {
    // `memory.copy` allows overlapping ranges.
    __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.copy 0, 0"
                     :
                     : "r"(target), "r"(source), "r"(count)
                     : "memory");
    return target;
}

void *memcpy(void *target, const void *source, size_t count) { return memmove(target, source, count); }

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *a = left, *b = right;
    for (; count; count--, a++, b++)
        if (*a != *b) return *a - *b;
    return 0;
}

size_t strlen(const char *text) {
    size_t count = 0;
    while (text[count]) count++;
    return count;
}

// The smallest class whose blocks hold `size` bytes; `size` becomes what its blocks hold.
static uint32_t class_of(uint32_t *size) {
    if (*size <= SMALL) {
        uint32_t units = *size ? (*size + ALIGNMENT - 1) / ALIGNMENT : 1;
        *size = units * ALIGNMENT;
        return units - 1;
    }
    uint32_t power = 31 - (uint32_t)__builtin_clz(*size - 1);
    uint32_t step = (1u << power) / 4;
    uint32_t quarter = (*size - (1u << power) + step - 1) / step;
    *size = (1u << power) + quarter * step;
    return SMALL_CLASSES + 4 * (power - 10) + quarter - 1;
}

// Room for `count` more bytes at the top.
static int reserve(uint32_t count) {
    if (!top) {
        top = ((uintptr_t)&__heap_base + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
        end = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
    }
    if (end - top >= count) return 1;
    uint32_t pages = (count - (end - top) + PAGE - 1) / PAGE;
    // Sixteen at a time, one megabyte: growing detaches the host's view of the memory.
    pages = (pages + 15) / 16 * 16;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) return 0;
    end += (uintptr_t)pages * PAGE;
    return 1;
}

void *malloc(size_t requested) {
    if (requested > LARGEST) return NULL;
    uint32_t size = (uint32_t)requested;
    uint32_t size_class = class_of(&size);
    struct header *block = free_blocks[size_class];
    if (block) {
        free_blocks[size_class] = block->next;
        return block + 1;
    }
    if (!reserve(size + sizeof(struct header))) return NULL;
    block = (struct header *)top;
    top += size + sizeof(struct header);
    block->size_class = size_class;
    block->size = size;
    return block + 1;
}

void free(void *pointer) {
    if (!pointer) return;
    struct header *block = (struct header *)pointer - 1;
    memset(pointer, 0, block->size);
    // The compiler must not leave out the wiping as a store to memory that nothing reads.
    __asm__ volatile("" : : "r"(pointer) : "memory");
    block->next = free_blocks[block->size_class];
    free_blocks[block->size_class] = block;
}

// Swift asks for nothing that needs more than 16 bytes.
int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment > ALIGNMENT) return 22;
    *result = malloc(size);
    return *result ? 0 : 12;
}

// Swift seeds its hashing with this. The seed is fixed: whoever sends input to an engine in a browser is its own user, so no one
// gains from finding keys with equal hashes.
void arc4random_buf(void *target, size_t count) {
    unsigned char *bytes = target;
    uint64_t state = 88172645463325252u;
    while (count--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *bytes++ = (unsigned char)state;
    }
}

// Overwrites the stack that earlier calls used: short strings live there. The stack is the first part of the memory and grows down, so
// all that lies below this frame is unused.
void wipe_stack(void) {
    __asm__ volatile("i32.const 0\ni32.const 0\nlocal.get %0\nmemory.fill 0"
                     :
                     : "r"(__builtin_frame_address(0))
                     : "memory");
}

// Called before a trap, with its message. There is no place for it.
int putchar(int character) { return character; }

// 128-bit product, of which Swift's hashing and number formatting use the halves.
typedef int wide __attribute__((mode(TI)));
wide __multi3(wide left, wide right) {
    uint64_t a = (uint64_t)left, b = (uint64_t)right;
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32);
    uint64_t other = a0 * b1 + (uint32_t)cross;
    uint64_t high = a1 * b1 + (cross >> 32) + (other >> 32);
    high += a * (uint64_t)(right >> 64) + b * (uint64_t)(left >> 64);
    return (wide)((unsigned __int128)high << 64 | (other << 32 | (uint32_t)low));
}

// The tables that Swift's `==` and hashing of strings normalise with, which would be a tenth of the engine's size. Without them
// strings are equal if their scalars are; the rules of forms compare bytes.
uint16_t _swift_stdlib_getNormData(uint32_t scalar) {
    (void)scalar;
    return 0;
}

uint32_t _swift_stdlib_getDecompositionEntry(uint32_t scalar) {
    (void)scalar;
    return UINT32_MAX;
}

uint32_t _swift_stdlib_getComposition(uint32_t left, uint32_t right) {
    (void)left;
    (void)right;
    return UINT32_MAX;
}

const uint8_t _swift_stdlib_nfd_decompositions[1];

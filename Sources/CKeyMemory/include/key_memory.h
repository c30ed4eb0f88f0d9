// Memory for keys: pages that are locked against swapping and left out of core dumps.
#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory, aligned to 16 bytes; NULL if there is none left. */
void *cloakroom_key_memory_allocate(size_t size);

/* Wipes what `allocate` returned, and gives it back. */
void cloakroom_key_memory_free(void *pointer);

/* Whether this address lies in the memory for keys. */
bool cloakroom_key_memory_holds(const void *pointer);

/* Whether all that was asked for lies in locked pages. */
bool cloakroom_key_memory_is_locked(void);

/* Between these calls of one thread the functions below take memory for keys. They nest. */
void cloakroom_key_memory_enter(void);
void cloakroom_key_memory_leave(void);

/* For CRYPTO_set_mem_functions. */
void *cloakroom_key_memory_crypto_malloc(size_t size, const char *file, int line);
void *cloakroom_key_memory_crypto_realloc(void *pointer, size_t size, const char *file, int line);
void cloakroom_key_memory_crypto_free(void *pointer, const char *file, int line);

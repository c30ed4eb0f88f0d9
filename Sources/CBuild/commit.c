#include "CBuild.h"

/* `make` writes commit.h; a plain `swift build` does without. */
#if __has_include("commit.h")
#include "commit.h"
#else
#define CLOAKROOM_COMMIT ""
#endif

const char *cloakroom_commit(void) { return CLOAKROOM_COMMIT; }

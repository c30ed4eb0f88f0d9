#ifndef CLOAKROOM_CBUILD_H
#define CLOAKROOM_CBUILD_H

/* The commit that was built, as Git abbreviates it, with "-dirty" behind it if files were changed; "" if it is not known. */
const char *cloakroom_commit(void);

#endif

#include "database_file.h"

#include <sqlite3.h>
#include <string.h>

enum { PAGE = 4096, MAP_INTERVAL = PAGE / 5 + 1 };

/* Those of SQLite's unix VFS, and a copy of them that writes through `write_page`. Set once, under SQLite's own mutex. */
static const sqlite3_io_methods *original;
static sqlite3_io_methods wiping;

static unsigned two_bytes(const unsigned char *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

/* With auto_vacuum each 820th page, from the second on, says where pages are referred to (file format, section 1.8). */
static int is_pointer_map(sqlite3_int64 page) {
    sqlite3_int64 pending = 0x40000000 / PAGE + 1;
    sqlite3_int64 map = (page - 2) / MAP_INTERVAL * MAP_INTERVAL + 2;
    return page >= 2 && page == (map == pending ? map + 1 : map);
}

/* The bytes between cell pointers and cells (file format, section 1.6). Returns 0 if the page is no b-tree page. */
static int find_gap(const unsigned char *bytes, sqlite3_int64 page, unsigned *start, unsigned *end) {
    unsigned header = page == 1 ? 100 : 0;
    unsigned char type = bytes[header];
    unsigned size = type == 0x0a || type == 0x0d ? 8 : type == 0x02 || type == 0x05 ? 12 : 0;
    if (size == 0 || is_pointer_map(page)) return 0;
    *start = header + size + 2 * two_bytes(bytes + header + 3);
    *end = two_bytes(bytes + header + 5);
    return *start < *end && *end <= PAGE;
}

static int write_page(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    unsigned char page[PAGE];
    unsigned start, end;
    if (count == PAGE && offset % PAGE == 0 && find_gap(bytes, offset / PAGE + 1, &start, &end)) {
        memcpy(page, bytes, PAGE);
        memset(page + start, 0, end - start);
        bytes = page;
    }
    return original->xWrite(file, bytes, count, offset);
}

int cloakroom_wipe_pages(struct sqlite3 *database) {
    sqlite3_file *file = 0;
    int result = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (result != SQLITE_OK) return result;
    if (file == 0 || file->pMethods == 0) return SQLITE_MISUSE;
    sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);
    sqlite3_mutex_enter(mutex);
    if (original == 0) {
        wiping = *file->pMethods;
        wiping.xWrite = write_page;
        original = file->pMethods;
    }
    /* Another VFS or another kind of locks has other methods: nothing here fits them. */
    result = file->pMethods == original || file->pMethods == &wiping ? SQLITE_OK : SQLITE_MISUSE;
    if (result == SQLITE_OK) file->pMethods = &wiping;
    sqlite3_mutex_leave(mutex);
    return result;
}

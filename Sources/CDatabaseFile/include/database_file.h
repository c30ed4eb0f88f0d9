#ifndef CLOAKROOM_DATABASE_FILE_H
#define CLOAKROOM_DATABASE_FILE_H

struct sqlite3;

/*
 * From now on the connection writes pages into its database without what rows have left between the cell pointers and the
 * cells of a b-tree page. `secure_delete` overwrites deleted rows, but not the copies that stay behind when SQLite balances
 * its trees and rows move to other pages.
 *
 * To be called once, before the connection writes. Pages are of 4,096 bytes, and there are fewer than
 * CLOAKROOM_MAXIMUM_PAGES of them. Returns an SQLite result code.
 */
int cloakroom_wipe_pages(struct sqlite3 *database);

/*
 * Below this number of pages (128 GiB) the first byte of a page tells what it is: in overflow pages and in those of the
 * free list it is the highest byte of a page number, and no type of a b-tree page.
 */
#define CLOAKROOM_MAXIMUM_PAGES 0x01ffffff

#endif

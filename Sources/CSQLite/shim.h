#include <sqlite3.h>

// Swift does not import macros that cast integers to function pointers.
static inline sqlite3_destructor_type gatehouse_sqlite_static(void) { return SQLITE_STATIC; }
static inline sqlite3_destructor_type gatehouse_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Variadic. The last connection of a file leaves its write-ahead log as it is.
static inline int gatehouse_sqlite_keep_log(sqlite3 *connection) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0);
}

// Variadic. Triggers run, or do not.
static inline int gatehouse_sqlite_enable_triggers(sqlite3 *connection, int on) {
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, on, 0);
}

// Variadic. Without the counters of memory in use, no allocation takes a mutex that all connections share.
static inline int gatehouse_sqlite_configure(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// A file of a file system of ours: SQLite has room for it, and knows its beginning.
typedef struct {
  sqlite3_file base;
  void *owner;
} gatehouse_page_file;

// A macro with an operator, which Swift does not import.
static inline int gatehouse_sqlite_short_read(void) { return SQLITE_IOERR_SHORT_READ; }

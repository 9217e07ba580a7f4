#include <sqlite3.h>

// Swift does not import macros that cast integers to function pointers.
static inline sqlite3_destructor_type gatehouse_sqlite_static(void) { return SQLITE_STATIC; }
static inline sqlite3_destructor_type gatehouse_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Variadic. Without the counters of memory in use, no allocation takes a mutex that all connections share.
static inline int gatehouse_sqlite_configure(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

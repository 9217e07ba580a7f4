// Measures the time that SQLite alone takes for the pages of objects that Scripts/bench scale asks for: the
// rows, by an index, from two connections that are kept busy. No HTTP, no JSON.
// Usage: rows FILE SECONDS CACHE (KiB of each connection) MAPPED (MiB of the file). Prints microseconds of
// processor time per page.
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { connections = 2 };

static const char *file;
static long cache, mapped;
static double seconds;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void check(int code, sqlite3 *database) {
  if (code == SQLITE_OK) return;
  fprintf(stderr, "rows: %s\n", sqlite3_errmsg(database));
  exit(1);
}

static void *read_pages(void *number) {
  sqlite3 *database;
  check(sqlite3_open_v2(file, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, 0), database);
  // The first to open the file begins its log.
  sqlite3_busy_timeout(database, 5000);
  char settings[128];
  snprintf(settings, sizeof settings, "PRAGMA cache_size=-%ld; PRAGMA mmap_size=%ld; BEGIN", cache, mapped << 20);
  check(sqlite3_exec(database, settings, 0, 0, 0), database);
  sqlite3_stmt *page;
  const char *sql = "SELECT * FROM Item WHERE rank > ?1 ORDER BY rank, _key LIMIT 21";
  check(sqlite3_prepare_v2(database, sql, -1, &page, 0), database);
  unsigned seed = (unsigned)(size_t)number;
  long count = 0;
  for (double end = now(CLOCK_MONOTONIC) + seconds; now(CLOCK_MONOTONIC) < end; count++) {
    sqlite3_bind_int64(page, 1, rand_r(&seed) % 990000);
    while (sqlite3_step(page) == SQLITE_ROW)
      for (int column = 0; column < sqlite3_column_count(page); column++) sqlite3_column_bytes(page, column);
    check(sqlite3_reset(page), database);
  }
  return (void *)count;
}

int main(int count, char **arguments) {
  if (count != 5) return fprintf(stderr, "usage: rows FILE SECONDS CACHE MAPPED\n"), 2;
  file = arguments[1];
  seconds = atof(arguments[2]);
  cache = atol(arguments[3]);
  mapped = atol(arguments[4]);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  pthread_t threads[connections];
  double start = now(CLOCK_PROCESS_CPUTIME_ID);
  for (long i = 0; i < connections; i++) pthread_create(&threads[i], 0, read_pages, (void *)(i + 1));
  long pages = 0;
  for (int i = 0; i < connections; i++) {
    void *own;
    pthread_join(threads[i], &own);
    pages += (long)own;
  }
  printf("%.1f\n", (now(CLOCK_PROCESS_CPUTIME_ID) - start) * 1e6 / pages);
}

// Keeps a copy of the files of a store as a disk would have them if the machine lost its power, for a program that is
// started with this library in LD_PRELOAD: what was written gets into the copy when it is synced, and not before.
//
// DISK_COPY names the folder of the copy, which has the files as they are when the program starts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct range { off64_t start, end; };

// The parts of a file that were written and are not in the copy yet.
static struct file {
  const char *name;
  struct range *ranges;
  size_t count, capacity;
} files[] = {{"gatehouse.db"}, {"gatehouse.db-wal"}};

// Held during a copy: a sync returns when what another one is at work on is in the copy as well.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct file *file_of(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count <= 0 || !getenv("DISK_COPY")) return NULL;
  path[count] = 0;
  const char *name = strrchr(path, '/');
  for (size_t i = 0; name && i < sizeof files / sizeof *files; i++)
    if (strcmp(name + 1, files[i].name) == 0) return &files[i];
  return NULL;
}

static void note(struct file *file, off64_t start, off64_t end) {
  pthread_mutex_lock(&lock);
  struct range *last = file->count ? &file->ranges[file->count - 1] : NULL;
  if (last && last->end == start) {
    last->end = end;
  } else {
    if (file->count == file->capacity) {
      file->capacity = file->capacity ? 2 * file->capacity : 64;
      file->ranges = realloc(file->ranges, file->capacity * sizeof *file->ranges);
      if (!file->ranges) abort();
    }
    file->ranges[file->count++] = (struct range){start, end};
  }
  pthread_mutex_unlock(&lock);
}

static void copy(struct file *file, int descriptor) {
  static char piece[1 << 16];
  static ssize_t (*write_piece)(int, const void *, size_t, off64_t);
  if (!write_piece) write_piece = dlsym(RTLD_NEXT, "pwrite64");
  char path[4200];
  struct stat status;
  pthread_mutex_lock(&lock);
  snprintf(path, sizeof path, "%s/%s", getenv("DISK_COPY"), file->name);
  int target = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (target < 0 || fstat(descriptor, &status) != 0) abort();
  for (size_t i = 0; i < file->count; i++)
    for (off64_t at = file->ranges[i].start; at < file->ranges[i].end;) {
      off64_t rest = file->ranges[i].end - at;
      ssize_t count = pread64(descriptor, piece, rest < (off64_t)sizeof piece ? (size_t)rest : sizeof piece, at);
      if (count <= 0) break;
      if (write_piece(target, piece, (size_t)count, at) != count) abort();
      at += count;
    }
  file->count = 0;
  int (*truncate_file)(int, off64_t) = dlsym(RTLD_NEXT, "ftruncate64");
  if (truncate_file(target, status.st_size) != 0) abort();
  close(target);
  pthread_mutex_unlock(&lock);
}

static ssize_t written(int descriptor, off64_t offset, ssize_t count) {
  struct file *file = count > 0 ? file_of(descriptor) : NULL;
  // Behind the write, so that no sync leaves it out that begins later.
  if (file) note(file, offset, offset + count);
  return count;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  ssize_t (*next)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
  return written(descriptor, offset, next(descriptor, bytes, count, offset));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

int ftruncate64(int descriptor, off64_t size) {
  int (*next)(int, off64_t) = dlsym(RTLD_NEXT, "ftruncate64");
  struct stat status;
  struct file *file = file_of(descriptor);
  if (file && fstat(descriptor, &status) == 0 && status.st_size > size) note(file, size, status.st_size);
  return next(descriptor, size);
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

static int synced(int descriptor, const char *name) {
  int (*next)(int) = dlsym(RTLD_NEXT, name);
  struct file *file = file_of(descriptor);
  if (file) copy(file, descriptor);
  return next(descriptor);
}

int fsync(int descriptor) { return synced(descriptor, "fsync"); }

int fdatasync(int descriptor) { return synced(descriptor, "fdatasync"); }

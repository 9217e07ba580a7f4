// Makes writes of the files of a store fail, for a program that is started with this library in LD_PRELOAD.
//
// The file that FAULT_FILE names says how, and may change at any moment; without it, or with anything else in
// it, all goes well:
//   eio    every write fails with EIO
//   short  every write writes half of its bytes, and the next one fails with EIO
//   sync   fsync and fdatasync fail with EIO
//   full   every write fails with ENOSPC
//   room N the files of the store, its reserve included, have at most N bytes on a disk of that size
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

// Reads what is to fail; false: nothing is.
static int read_fault(char text[32]) {
  const char *path = getenv("FAULT_FILE");
  if (!path) return 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, 31);
  close(file);
  text[count > 0 ? count : 0] = 0;
  return count > 0;
}

static int fault(const char *kind) {
  char text[32];
  return read_fault(text) && strncmp(text, kind, strlen(kind)) == 0;
}

static int path_of(int descriptor, char path[4096]) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, 4095);
  path[count > 0 ? count : 0] = 0;
  return count > 0;
}

static int is_store(int descriptor) {
  char path[4096];
  return path_of(descriptor, path) && strstr(path, "/gatehouse.db") != NULL && strstr(path, "-shm") == NULL;
}

// Reads how many bytes the files of a store may have; -1: any number.
static long long room(void) {
  char text[32];
  return read_fault(text) && strncmp(text, "room ", 5) == 0 ? atoll(text + 5) : -1;
}

static long long used(const char *directory, int length) {
  static const char *names[] = {"gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "reserve"};
  long long sum = 0;
  for (int i = 0; i < 4; i++) {
    char path[4200];
    struct stat status;
    snprintf(path, sizeof path, "%.*s/%s", length, directory, names[i]);
    if (stat(path, &status) == 0) sum += status.st_size;
  }
  return sum;
}

static int has_room(int descriptor, long long end) {
  char path[4096];
  struct stat status;
  long long limit = room();
  if (limit < 0 || !path_of(descriptor, path) || fstat(descriptor, &status) != 0 || end <= status.st_size) return 1;
  const char *name = strrchr(path, '/');
  if (!name || (strncmp(name, "/gatehouse.db", 13) != 0 && strcmp(name, "/reserve") != 0)) return 1;
  return used(path, (int)(name - path)) + end - status.st_size <= limit;
}

int statvfs(const char *path, struct statvfs *status) {
  int (*next)(const char *, struct statvfs *) = dlsym(RTLD_NEXT, "statvfs");
  int result = next(path, status);
  long long limit = room();
  if (result != 0 || limit < 0) return result;
  long long rest = limit - used(path, (int)strlen(path));
  status->f_blocks = (fsblkcnt_t)limit / status->f_frsize;
  status->f_bavail = rest > 0 ? (fsblkcnt_t)rest / status->f_frsize : 0;
  return 0;
}

int posix_fallocate(int descriptor, off_t offset, off_t count) {
  if (!has_room(descriptor, offset + count)) return ENOSPC;
  int (*next)(int, off_t, off_t) = dlsym(RTLD_NEXT, "posix_fallocate");
  return next(descriptor, offset, count);
}

static ssize_t faulty(int descriptor, const void *bytes, size_t count, off64_t offset,
                      ssize_t (*next)(int, const void *, size_t, off64_t)) {
  static __thread int was_short;
  if (!has_room(descriptor, offset + (off64_t)count)) return errno = ENOSPC, -1;
  if (is_store(descriptor)) {
    if (fault("full")) return errno = ENOSPC, -1;
    if (fault("eio") || (fault("short") && was_short)) return was_short = 0, errno = EIO, -1;
    if (fault("short") && count > 1) return was_short = 1, next(descriptor, bytes, count / 2, offset);
  }
  return next(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return faulty(descriptor, bytes, count, offset, dlsym(RTLD_NEXT, "pwrite64"));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return faulty(descriptor, bytes, count, offset, dlsym(RTLD_NEXT, "pwrite64"));
}

int fsync(int descriptor) {
  if (is_store(descriptor) && fault("sync")) return errno = EIO, -1;
  int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
  return next(descriptor);
}

int fdatasync(int descriptor) {
  if (is_store(descriptor) && fault("sync")) return errno = EIO, -1;
  int (*next)(int) = dlsym(RTLD_NEXT, "fdatasync");
  return next(descriptor);
}

// Makes writes of the files of a store fail, for a program that is started with this library in LD_PRELOAD.
//
// The file that FAULT_FILE names says how, and may change at any moment; without it, or with anything else in
// it, all goes well:
//   eio    every write fails with EIO
//   short  every write writes half of its bytes, and the next one fails with EIO
//   sync   fsync and fdatasync fail with EIO
//   full   every write fails with ENOSPC
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fault(const char *kind) {
  const char *path = getenv("FAULT_FILE");
  if (!path) return 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[16] = {0};
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  return count > 0 && strncmp(text, kind, strlen(kind)) == 0;
}

static int is_store(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count < 0) return 0;
  path[count] = 0;
  return strstr(path, "/gatehouse.db") != NULL && strstr(path, "-shm") == NULL;
}

static ssize_t faulty(int descriptor, const void *bytes, size_t count, off64_t offset,
                      ssize_t (*next)(int, const void *, size_t, off64_t)) {
  static __thread int was_short;
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

// A file system of SQLite's in memory (<https://sqlite.org/vfs.html>). Each file has two images: as programs see it, and as the
// disk would have it after a crash. A sync makes them the same; a crash chooses for each sector which of the two it is.
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { SECTOR = 512, SLOTS = SQLITE_SHM_NLOCK, FIRST_DESCRIPTOR = 1 << 24, DESCRIPTORS = 4096 };

typedef struct {
  unsigned char *bytes;
  int64_t size, capacity;
} image;

typedef struct file {
  struct file *next;
  char *path;
  image seen, durable;
  // One byte per sector that is not as `durable` has it.
  unsigned char *dirty;
  int64_t dirty_capacity;
  // Whether a crash may take the file itself away.
  int is_new, is_removed, references;
  // The syncs that failed.
  uint32_t errors;
  struct handle *handles;
  void **regions;
  int region_count, region_users;
} file;

typedef struct disk {
  struct disk *next;
  char *directory;
  size_t length;
  file *files;
  sim_faults faults;
  int has_ended;
} disk;

typedef struct handle {
  sqlite3_file base;
  struct handle *next;
  file *file;
  disk *disk;
  int lock, deletes, uses_regions;
  uint16_t shared, exclusive;
  uint32_t errors;
} handle;

static disk *disks = NULL;
// The disk of files without a name, which never fails: they are elsewhere.
static disk scratch_disk = {.directory = "scratch", .length = 7};
static sqlite3_vfs *standard = NULL;
static uint64_t calls = 0, failures = 0, lost = 0;
static uint32_t handovers = 0;
static struct { file *file; disk *disk; uint32_t errors; } descriptors[DESCRIPTORS];

uint64_t sim_disk_failures(void) { return failures; }
uint64_t sim_disk_calls(void) { return calls; }
uint64_t sim_disk_lost(void) { return lost; }
void sim_disk_set_handovers(uint32_t of_a_thousand) { handovers = of_a_thousand; }

// Images

static void reserve(image *image, int64_t size) {
  if (size <= image->capacity) return;
  int64_t capacity = image->capacity < 4096 ? 4096 : image->capacity;
  while (capacity < size) capacity *= 2;
  image->bytes = realloc(image->bytes, (size_t)capacity);
  memset(image->bytes + image->capacity, 0, (size_t)(capacity - image->capacity));
  image->capacity = capacity;
}

static void resize(image *image, int64_t size) {
  reserve(image, size);
  if (size < image->size) memset(image->bytes + size, 0, (size_t)(image->size - size));
  image->size = size;
}

static void mark(file *file, int64_t from, int64_t to) {
  int64_t last = (to + SECTOR - 1) / SECTOR;
  if (last > file->dirty_capacity) {
    int64_t capacity = last * 2 + 64;
    file->dirty = realloc(file->dirty, (size_t)capacity);
    memset(file->dirty + file->dirty_capacity, 0, (size_t)(capacity - file->dirty_capacity));
    file->dirty_capacity = capacity;
  }
  for (int64_t sector = from / SECTOR; sector < last; sector++) file->dirty[sector] = 1;
}

static void make_durable(file *file) {
  resize(&file->durable, file->seen.size);
  int64_t sectors = (file->seen.size + SECTOR - 1) / SECTOR;
  for (int64_t sector = 0; sector < sectors && sector < file->dirty_capacity; sector++) {
    if (!file->dirty[sector]) continue;
    int64_t start = sector * SECTOR, end = start + SECTOR < file->seen.size ? start + SECTOR : file->seen.size;
    memcpy(file->durable.bytes + start, file->seen.bytes + start, (size_t)(end - start));
  }
  if (file->dirty != NULL) memset(file->dirty, 0, (size_t)file->dirty_capacity);
  file->is_new = 0;
}

// Files

static disk *disk_of(const char *path) {
  for (disk *disk = disks; disk != NULL; disk = disk->next) {
    if (strncmp(path, disk->directory, disk->length) == 0 && (path[disk->length] == '/' || path[disk->length] == 0)) return disk;
  }
  return NULL;
}

static file *find(disk *disk, const char *path) {
  for (file *file = disk->files; file != NULL; file = file->next) {
    if (!file->is_removed && strcmp(file->path, path) == 0) return file;
  }
  return NULL;
}

static file *make(disk *disk, const char *path) {
  file *file = calloc(1, sizeof *file);
  file->path = strdup(path);
  file->is_new = 1;
  file->next = disk->files;
  disk->files = file;
  return file;
}

static void destroy(file *file) {
  free(file->path);
  free(file->seen.bytes);
  free(file->durable.bytes);
  free(file->dirty);
  for (int index = 0; index < file->region_count; index++) free(file->regions[index]);
  free(file->regions);
  free(file);
}

static int64_t used(const disk *disk) {
  int64_t sum = 0;
  for (file *file = disk->files; file != NULL; file = file->next) sum += file->seen.size;
  return sum;
}

static void (*observer)(const char *event, const char *path, int64_t place) = NULL;

void sim_disk_observe(void (*body)(const char *event, const char *path, int64_t place)) { observer = body; }

static void tell(const disk *disk, const file *file, const char *event, int64_t place) {
  if (observer == NULL || disk->has_ended) return;
  sim_set_aside(1);
  observer(event, file->path + (file->path[0] == '/' ? disk->length + 1 : 0), place);
  sim_set_aside(0);
}

static uint32_t slow_calls = 0;
static uint64_t longest_call = 0;

void sim_disk_set_latency(uint32_t slow, uint64_t longest) {
  slow_calls = slow;
  longest_call = longest;
}

void sim_disk_reset(void) {
  calls = failures = lost = 0;
  handovers = slow_calls = 0;
}

// A call reaches the disk: it may wait, the disk may have ended meanwhile, or the call may fail. The code, or SQLITE_OK.
static int reach(disk *disk, uint32_t rate, int code) {
  sim_point();
  if (sim_is_on_thread() && sim_hits(slow_calls)) {
    int64_t never = 0;
    sim_wait(&never, sim_now() + sim_random() % longest_call);
  }
  calls++;
  if (disk->has_ended) return code;
  if (!sim_hits(rate)) return SQLITE_OK;
  failures++;
  sim_note((uint64_t)code);
  return code;
}

static uint64_t digest(const unsigned char *bytes, int64_t count) {
  uint64_t sum = 0xcbf29ce484222325;
  for (int64_t index = 0; index + 8 <= count; index += 8) {
    uint64_t word;
    memcpy(&word, bytes + index, 8);
    sum = (sum ^ word) * 0x100000001b3;
  }
  return sum;
}

// As Linux does since 4.13, a sync that fails has failed for each who has the file open, once; `known` counts those that one has been
// told of.
static int sync_file(disk *disk, file *file, uint32_t *known) {
  int code = reach(disk, disk->faults.failed_syncs, SQLITE_IOERR_FSYNC);
  if (*known != file->errors) {
    *known = file->errors;
    tell(disk, file, "not synced before", file->seen.size);
    return SQLITE_IOERR_FSYNC;
  }
  if (code == SQLITE_OK) {
    make_durable(file);
    tell(disk, file, "synced", file->seen.size);
    sim_note(0x5c);
  } else if (!disk->has_ended && file->dirty != NULL) {
    tell(disk, file, "not synced", file->seen.size);
    // The kernel has given up the pages: a later sync succeeds without them, and a crash loses them.
    memset(file->dirty, 0, (size_t)file->dirty_capacity);
    *known = ++file->errors;
  }
  return code;
}

static int write_file(disk *disk, file *file, const void *bytes, int64_t count, int64_t offset) {
  int code = reach(disk, disk->faults.failed_writes, SQLITE_IOERR_WRITE);
  if (code != SQLITE_OK) return code;
  if (disk->faults.is_read_only) return failures++, SQLITE_IOERR_WRITE;
  int64_t end = offset + count;
  if (disk->faults.capacity > 0 && end > file->seen.size && used(disk) + end - file->seen.size > disk->faults.capacity) {
    return failures++, SQLITE_FULL;
  }
  if (end > file->seen.size) resize(&file->seen, end);
  memcpy(file->seen.bytes + offset, bytes, (size_t)count);
  mark(file, offset, end);
  tell(disk, file, "written", offset);
  sim_note((uint64_t)offset ^ digest(bytes, count));
  return SQLITE_OK;
}

static int truncate_file(disk *disk, file *file, int64_t size) {
  int code = reach(disk, disk->faults.failed_writes, SQLITE_IOERR_TRUNCATE);
  if (code != SQLITE_OK) return code;
  if (disk->faults.is_read_only) return failures++, SQLITE_IOERR_TRUNCATE;
  int64_t before = file->seen.size;
  resize(&file->seen, size);
  if (size > before) mark(file, before, size); else mark(file, size, before);
  tell(disk, file, "truncated", size);
  sim_note((uint64_t)size);
  return SQLITE_OK;
}

// SQLite's methods of files

static handle *of(sqlite3_file *base) { return (handle *)base; }

static int close_file(sqlite3_file *base) {
  handle *handle = of(base);
  for (struct handle **place = &handle->file->handles; *place != NULL; place = &(*place)->next) {
    if (*place != handle) continue;
    *place = handle->next;
    break;
  }
  handle->file->references--;
  if (handle->deletes) handle->file->is_removed = 1;
  return SQLITE_OK;
}

static int read_file(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
  handle *handle = of(base);
  int code = reach(handle->disk, handle->disk->faults.failed_reads, SQLITE_IOERR_READ);
  if (code != SQLITE_OK) return code;
  int64_t rest = handle->file->seen.size - offset;
  if (rest >= count) return memcpy(bytes, handle->file->seen.bytes + offset, (size_t)count), SQLITE_OK;
  memset(bytes, 0, (size_t)count);
  if (rest > 0) memcpy(bytes, handle->file->seen.bytes + offset, (size_t)rest);
  return SQLITE_IOERR_SHORT_READ;
}

static int write_bytes(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  return write_file(of(base)->disk, of(base)->file, bytes, count, offset);
}

static int truncate_bytes(sqlite3_file *base, sqlite3_int64 size) { return truncate_file(of(base)->disk, of(base)->file, size); }

static int sync_bytes(sqlite3_file *base, int flags) { return sync_file(of(base)->disk, of(base)->file, &of(base)->errors); }

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
  *size = of(base)->file->seen.size;
  return SQLITE_OK;
}

static int lock_file(sqlite3_file *base, int level) {
  handle *mine = of(base);
  sim_point();
  if (mine->lock >= level) return SQLITE_OK;
  for (handle *other = mine->file->handles; other != NULL; other = other->next) {
    if (other == mine) continue;
    if (other->lock >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
    if (level == SQLITE_LOCK_RESERVED && other->lock >= SQLITE_LOCK_RESERVED) return SQLITE_BUSY;
  }
  if (level == SQLITE_LOCK_EXCLUSIVE) {
    mine->lock = SQLITE_LOCK_PENDING;
    for (handle *other = mine->file->handles; other != NULL; other = other->next) {
      if (other != mine && other->lock >= SQLITE_LOCK_SHARED) return SQLITE_BUSY;
    }
  }
  mine->lock = level;
  return SQLITE_OK;
}

static int unlock_file(sqlite3_file *base, int level) {
  if (of(base)->lock > level) of(base)->lock = level;
  return SQLITE_OK;
}

static int check_reserved(sqlite3_file *base, int *answer) {
  *answer = 0;
  for (handle *other = of(base)->file->handles; other != NULL; other = other->next) {
    if (other->lock >= SQLITE_LOCK_RESERVED) *answer = 1;
  }
  return SQLITE_OK;
}

static int control(sqlite3_file *base, int operation, void *argument) {
  handle *handle = of(base);
  if (operation == SQLITE_FCNTL_SIZE_HINT) {
    int64_t size = *(sqlite3_int64 *)argument;
    return size > handle->file->seen.size ? truncate_file(handle->disk, handle->file, size) : SQLITE_OK;
  }
  return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base) { return 4096; }
// As of files on Linux: what surrounds a write stays as it is.
static int characteristics(sqlite3_file *base) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static int map_region(sqlite3_file *base, int index, int size, int extends, void volatile **region) {
  handle *handle = of(base);
  file *file = handle->file;
  *region = NULL;
  if (handle->disk->has_ended) return SQLITE_IOERR_SHMMAP;
  if (!handle->uses_regions) handle->uses_regions = 1, file->region_users++;
  if (index >= file->region_count) {
    if (!extends) return SQLITE_OK;
    file->regions = realloc(file->regions, sizeof(void *) * (size_t)(index + 1));
    while (file->region_count <= index) file->regions[file->region_count++] = calloc(1, (size_t)size);
  }
  *region = file->regions[index];
  return SQLITE_OK;
}

static int lock_region(sqlite3_file *base, int offset, int count, int flags) {
  handle *mine = of(base);
  sim_point();
  uint16_t mask = (uint16_t)(((1 << count) - 1) << offset);
  if (flags & SQLITE_SHM_UNLOCK) {
    // The lock of whoever writes to the log is the first one.
    int has_written = mine->exclusive & mask & 1;
    mine->shared &= (uint16_t)~mask;
    mine->exclusive &= (uint16_t)~mask;
    // Others see it from here on, before the caller does anything else.
    sim_point();
    if (has_written && handovers != 0 && sim_draw(1000) < handovers) sim_hand_over();
    return SQLITE_OK;
  }
  for (handle *other = mine->file->handles; other != NULL; other = other->next) {
    if (other == mine) continue;
    if (other->exclusive & mask) return SQLITE_BUSY;
    if (flags & SQLITE_SHM_EXCLUSIVE && other->shared & mask) return SQLITE_BUSY;
  }
  if (flags & SQLITE_SHM_EXCLUSIVE) mine->exclusive |= mask; else mine->shared |= mask;
  return SQLITE_OK;
}

// Others may look in between two writes of the index of the log.
static void region_barrier(sqlite3_file *base) { sim_point(); }

static int unmap_regions(sqlite3_file *base, int deletes) {
  handle *handle = of(base);
  file *file = handle->file;
  handle->shared = handle->exclusive = 0;
  if (!handle->uses_regions) return SQLITE_OK;
  handle->uses_regions = 0;
  // The next who opens the file, alone, begins with an empty one.
  if (--file->region_users > 0) return SQLITE_OK;
  for (int index = 0; index < file->region_count; index++) free(file->regions[index]);
  free(file->regions);
  file->regions = NULL;
  file->region_count = 0;
  return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
  .iVersion = 2, .xClose = close_file, .xRead = read_file, .xWrite = write_bytes, .xTruncate = truncate_bytes,
  .xSync = sync_bytes, .xFileSize = file_size, .xLock = lock_file, .xUnlock = unlock_file,
  .xCheckReservedLock = check_reserved, .xFileControl = control, .xSectorSize = sector_size,
  .xDeviceCharacteristics = characteristics, .xShmMap = map_region, .xShmLock = lock_region,
  .xShmBarrier = region_barrier, .xShmUnmap = unmap_regions,
};

// SQLite's methods of the file system

static int open_file(sqlite3_vfs *system, const char *path, sqlite3_file *base, int flags, int *granted) {
  handle *handle = of(base);
  memset(handle, 0, sizeof *handle);
  char scratch[64];
  disk *disk = path == NULL ? &scratch_disk : disk_of(path);
  if (disk == NULL) return SQLITE_CANTOPEN;
  if (path == NULL) {
    static uint64_t number = 0;
    sqlite3_snprintf(sizeof scratch, scratch, "scratch-%llu", ++number);
    path = scratch;
  }
  int code = reach(disk, disk->faults.failed_reads, SQLITE_CANTOPEN);
  if (code != SQLITE_OK) return code;
  file *file = find(disk, path);
  if (file == NULL && !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
  if (file == NULL) file = make(disk, path);
  handle->base.pMethods = &methods;
  handle->file = file;
  handle->disk = disk;
  handle->errors = file->errors;
  handle->deletes = flags & SQLITE_OPEN_DELETEONCLOSE;
  handle->next = file->handles;
  file->handles = handle;
  file->references++;
  if (granted != NULL) *granted = flags;
  return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *system, const char *path, int syncs) {
  disk *disk = disk_of(path);
  if (disk == NULL) return SQLITE_IOERR_DELETE;
  int code = reach(disk, disk->faults.failed_writes, SQLITE_IOERR_DELETE);
  if (code != SQLITE_OK) return code;
  file *file = find(disk, path);
  if (file == NULL) return SQLITE_IOERR_DELETE_NOENT;
  file->is_removed = 1;
  return SQLITE_OK;
}

static int access_file(sqlite3_vfs *system, const char *path, int flags, int *answer) {
  disk *disk = disk_of(path);
  file *file = disk == NULL ? NULL : find(disk, path);
  *answer = file != NULL && (flags != SQLITE_ACCESS_EXISTS || file->seen.size > 0);
  return SQLITE_OK;
}

static int full_name(sqlite3_vfs *system, const char *path, int capacity, char *result) {
  if ((int)strlen(path) >= capacity) return SQLITE_CANTOPEN;
  strcpy(result, path);
  return SQLITE_OK;
}

static int random_bytes(sqlite3_vfs *system, int count, char *bytes) {
  for (int index = 0; index < count; index++) bytes[index] = (char)sim_random();
  return count;
}

static int sleep_for(sqlite3_vfs *system, int microseconds) {
  int64_t never = 0;
  if (sim_is_on_thread()) sim_wait(&never, sim_now() + (uint64_t)microseconds * 1000);
  return microseconds;
}

static int current_time(sqlite3_vfs *system, sqlite3_int64 *time) {
  // Milliseconds since the Julian epoch; 2026-01-01 is 2461041.5 days after it.
  *time = 212633985600000LL + (sqlite3_int64)(sim_now() / 1000000);
  return SQLITE_OK;
}

static int current_days(sqlite3_vfs *system, double *days) {
  sqlite3_int64 time;
  current_time(system, &time);
  *days = (double)time / 86400000.0;
  return SQLITE_OK;
}

static int last_error(sqlite3_vfs *system, int count, char *text) { return 0; }

void sim_disk_register(void) {
  static sqlite3_vfs system;
  if (standard != NULL) return;
  standard = sqlite3_vfs_find(NULL);
  system = *standard;
  system.iVersion = 2;
  system.szOsFile = sizeof(handle);
  system.pNext = NULL;
  system.zName = "simulated";
  system.pAppData = NULL;
  system.xOpen = open_file;
  system.xDelete = delete_file;
  system.xAccess = access_file;
  system.xFullPathname = full_name;
  system.xRandomness = random_bytes;
  system.xSleep = sleep_for;
  system.xCurrentTime = current_days;
  system.xCurrentTimeInt64 = current_time;
  system.xGetLastError = last_error;
  sqlite3_vfs_register(&system, 1);
  // A full disk has connections ask for this one by its name.
  static sqlite3_vfs alone;
  sqlite3_vfs *exclusive = sqlite3_vfs_find("unix-excl");
  if (exclusive != NULL) sqlite3_vfs_unregister(exclusive);
  alone = system;
  alone.pNext = NULL;
  alone.zName = "unix-excl";
  sqlite3_vfs_register(&alone, 0);
}

// Disks

void sim_disk_mount(const char *directory) {
  disk *disk = calloc(1, sizeof *disk);
  disk->directory = strdup(directory);
  disk->length = strlen(directory);
  disk->next = disks;
  disks = disk;
}

void sim_disk_set_faults(const char *directory, sim_faults faults) {
  disk *disk = disk_of(directory);
  if (disk != NULL) disk->faults = faults;
}

// The file as a crash leaves it.
static void survive(disk *next, const disk *before, const file *file, sim_crash crash) {
  const char *name = file->path + before->length;
  size_t length = next->length + strlen(name) + 1;
  char *path = malloc(length);
  sqlite3_snprintf((int)length, path, "%s%s", next->directory, name);
  struct file *copy = make(next, path);
  free(path);
  const image *seen = &file->seen, *durable = &file->durable;
  // The size is written by itself.
  int64_t size = sim_hits(crash.lost_sectors) ? durable->size : seen->size;
  resize(&copy->seen, size);
  for (int64_t start = 0; start < size; start += SECTOR) {
    int64_t sector = start / SECTOR, end = start + SECTOR < size ? start + SECTOR : size;
    int is_dirty = sector < file->dirty_capacity && file->dirty[sector];
    int is_lost = is_dirty && sim_hits(crash.lost_sectors);
    const image *source = is_dirty && !is_lost ? seen : durable;
    if (is_lost) lost++;
    int64_t there = source->size < end ? source->size : end;
    if (there > start) memcpy(copy->seen.bytes + start, source->bytes + start, (size_t)(there - start));
    if (is_dirty && start >= durable->size && sim_hits(crash.torn_sectors)) {
      for (int64_t place = start; place < end; place++) copy->seen.bytes[place] = (unsigned char)sim_random();
      lost++;
    }
    if (is_dirty && !is_lost && sim_hits(crash.flipped_sectors)) {
      // The bytes around a write stay as they are (SQLITE_IOCAP_POWERSAFE_OVERWRITE).
      int64_t place = start + sim_draw((uint32_t)(end - start));
      if (place >= durable->size || seen->bytes[place] != durable->bytes[place]) {
        copy->seen.bytes[place] ^= (unsigned char)(1 << sim_draw(8));
        lost++;
      }
    }
  }
  mark(copy, 0, size);
  make_durable(copy);
}

void sim_disk_write_back(const char *directory) {
  disk *disk = disk_of(directory);
  for (file *file = disk->files; file != NULL; file = file->next) {
    if (!file->is_removed) make_durable(file);
  }
}

void sim_disk_crash(const char *directory, const char *next, sim_crash crash) {
  disk *before = disk_of(directory);
  sim_disk_mount(next);
  disk *after = disk_of(next);
  before->has_ended = 1;
  for (file *file = before->files; file != NULL; file = file->next) {
    if (file->is_removed || strncmp(file->path, before->directory, before->length) != 0) continue;
    if (file->is_new && sim_hits(crash.lost_sectors)) continue;
    // Files in folders are temporary, and a store that begins removes them.
    if (strchr(file->path + before->length + 1, '/') != NULL) continue;
    survive(after, before, file, crash);
  }
  sim_note(0xc4a5);
}

void sim_disk_damage(const char *directory, uint32_t bits) {
  disk *disk = disk_of(directory);
  int64_t size = used(disk);
  for (uint32_t bit = 0; bit < bits && size > 0; bit++) {
    int64_t place = (int64_t)(sim_random() % (uint64_t)size);
    for (file *file = disk->files; file != NULL; file = file->next) {
      if (place < file->seen.size) {
        unsigned char mask = (unsigned char)(1 << sim_draw(8));
        file->seen.bytes[place] ^= mask;
        if (place < file->durable.size) file->durable.bytes[place] ^= mask;
        break;
      }
      place -= file->seen.size;
    }
  }
}

void sim_disk_unmount(const char *directory) {
  for (disk **place = &disks; *place != NULL; place = &(*place)->next) {
    disk *disk = *place;
    if (strcmp(disk->directory, directory) != 0) continue;
    for (file *file = disk->files; file != NULL; file = file->next) {
      if (file->references > 0) return;
    }
    *place = disk->next;
    for (file *file = disk->files, *next; file != NULL; file = next) {
      next = file->next;
      destroy(file);
    }
    free(disk->directory);
    free(disk);
    return;
  }
}

// Descriptors of files of the disk, for those who go past SQLite

int sim_descriptor_open(const char *path, int flags) {
  disk *disk = disk_of(path);
  file *file = disk == NULL ? NULL : find(disk, path);
  if (file == NULL) return -1;
  if (flags & O_EXCL) return -EEXIST;
  if (reach(disk, disk->faults.failed_reads, 1)) return -EIO;
  for (int index = 0; index < DESCRIPTORS; index++) {
    if (descriptors[index].file != NULL) continue;
    descriptors[index].file = file;
    descriptors[index].disk = disk;
    descriptors[index].errors = file->errors;
    file->references++;
    return FIRST_DESCRIPTOR + index;
  }
  abort();
}

static file *opened(int descriptor, disk **disk) {
  if (descriptor < FIRST_DESCRIPTOR || descriptor >= FIRST_DESCRIPTOR + DESCRIPTORS) return NULL;
  *disk = descriptors[descriptor - FIRST_DESCRIPTOR].disk;
  return descriptors[descriptor - FIRST_DESCRIPTOR].file;
}

int sim_descriptor_close(int descriptor) {
  disk *disk;
  file *file = opened(descriptor, &disk);
  if (file == NULL) return 0;
  file->references--;
  descriptors[descriptor - FIRST_DESCRIPTOR].file = NULL;
  return 1;
}

int sim_descriptor_sync(int descriptor) {
  disk *disk;
  file *file = opened(descriptor, &disk);
  if (file == NULL) return -1;
  return sync_file(disk, file, &descriptors[descriptor - FIRST_DESCRIPTOR].errors) != SQLITE_OK;
}

int64_t sim_descriptor_size(int descriptor) {
  disk *disk;
  file *file = opened(descriptor, &disk);
  return file == NULL ? -1 : file->seen.size;
}

int64_t sim_path_size(const char *path) {
  disk *disk = disk_of(path);
  file *file = disk == NULL ? NULL : find(disk, path);
  return file == NULL ? -1 : file->seen.size;
}

int sim_path_truncate(const char *path, int64_t size) {
  disk *disk = disk_of(path);
  file *file = disk == NULL ? NULL : find(disk, path);
  if (file == NULL) return 0;
  truncate_file(disk, file, size);
  return 1;
}

int sim_path_remove(const char *path) {
  disk *disk = disk_of(path);
  file *file = disk == NULL ? NULL : find(disk, path);
  if (file == NULL) return 0;
  file->is_removed = 1;
  return 1;
}

int64_t sim_path_free(const char *path) {
  disk *disk = disk_of(path);
  if (disk == NULL || disk->faults.capacity == 0) return -1;
  int64_t rest = disk->faults.capacity - used(disk);
  return rest < 0 ? 0 : rest;
}

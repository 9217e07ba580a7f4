// The program's own allocator: a run finds the same memory at the same addresses each time, and with the same in it, which SQLite writes
// into files and which orders sets of objects. Memory for the trace is elsewhere, so that a run is the same with and without it.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>

#include "internal.h"

enum { SMALL = 1024, CLASSES = 256, NEVER_USED_AGAIN = CLASSES };

// Before each block.
typedef struct {
  size_t size;
  uint32_t class;
  uint32_t is_aside;
} header;
_Static_assert(sizeof(header) == 16, "blocks are aligned to 16 bytes");

typedef struct block {
  struct block *next;
} block;

static const size_t piece = (size_t)1 << 30;
static unsigned char *place, *end, *place_aside, *end_aside;
static block *unused[CLASSES];
static int is_aside = 0;
// Nobody else runs at the same time but where a thread begins or ends.
static char is_taken = 0;

void sim_set_aside(int value) { is_aside = value; }

// Takes only new memory from now on: what others have used is still theirs in the pages of the process that this one is a copy of, and
// would be copied one by one.
void sim_memory_reset(void) {
  memset(unused, 0, sizeof unused);
  const uintptr_t huge = (uintptr_t)2 << 20;
  place = (unsigned char *)(((uintptr_t)place + huge - 1) & ~(huge - 1));
  if (place > end) place = end;
}

static unsigned char *reserve(size_t size) {
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  // A process begins for each seed, and would spend much of its time on pages that it touches first.
  madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

// Rounds a size up: to 16 bytes, or to a quarter of a power of 2.
static uint32_t class_of(size_t size, size_t *rounded) {
  if (size <= SMALL) {
    uint32_t class = size == 0 ? 1 : (uint32_t)((size + 15) / 16);
    *rounded = class * 16;
    return class;
  }
  int power = 63 - __builtin_clzll(size - 1);
  size_t quarters = (size - 1) >> (power - 2);
  *rounded = (quarters + 1) << (power - 2);
  return (uint32_t)(SMALL / 16 + (power - 10) * 4 + (int)(quarters - 4) + 1);
}

// Takes new memory, which is zero.
static header *extend(unsigned char **from, unsigned char **to, size_t size, size_t alignment) {
  if (*from == NULL || (size_t)(*to - *from) < size + alignment + sizeof(header)) {
    size_t length = size + alignment + sizeof(header) > piece ? size + alignment + sizeof(header) : piece;
    *from = reserve(length);
    if (*from == NULL) return NULL;
    *to = *from + length;
  }
  uintptr_t start = ((uintptr_t)*from + sizeof(header) + alignment - 1) & ~(uintptr_t)(alignment - 1);
  *from = (unsigned char *)start + size;
  return (header *)start - 1;
}

static void *take(size_t size, size_t alignment, int is_zero) {
  if (size > (size_t)1 << 46) return errno = ENOMEM, NULL;
  size_t rounded;
  uint32_t class = class_of(size, &rounded);
  while (__atomic_test_and_set(&is_taken, __ATOMIC_ACQUIRE)) {}
  // Both begin where they do whether there is a trace or not.
  if (place_aside == NULL) end_aside = (place_aside = reserve(8 * piece)) + 8 * piece;
  block *found = NULL;
  if (!is_aside && alignment <= 16 && (found = unused[class]) != NULL) unused[class] = found->next;
  header *made = NULL;
  if (found == NULL) {
    made = is_aside ? extend(&place_aside, &end_aside, rounded, alignment) : extend(&place, &end, rounded, alignment);
    if (made != NULL) *made = (header){rounded, alignment > 16 ? NEVER_USED_AGAIN : class, is_aside};
  }
  __atomic_clear(&is_taken, __ATOMIC_RELEASE);
  if (found != NULL) return is_zero ? memset(found, 0, size) : found;
  if (made == NULL) return errno = ENOMEM, NULL;
  return made + 1;
}

void *malloc(size_t size) { return take(size, 16, 0); }

static header *header_of(void *bytes) { return (header *)bytes - 1; }

void free(void *bytes) {
  if (bytes == NULL || header_of(bytes)->is_aside || header_of(bytes)->class == NEVER_USED_AGAIN) return;
  while (__atomic_test_and_set(&is_taken, __ATOMIC_ACQUIRE)) {}
  block *block = bytes;
  block->next = unused[header_of(bytes)->class];
  unused[header_of(bytes)->class] = block;
  __atomic_clear(&is_taken, __ATOMIC_RELEASE);
}

void *calloc(size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) return errno = ENOMEM, NULL;
  return take(all, 16, 1);
}

void *realloc(void *bytes, size_t size) {
  if (bytes == NULL) return malloc(size);
  size_t before = header_of(bytes)->size;
  if (size <= before && size >= before / 4) return bytes;
  void *other = malloc(size);
  if (other == NULL) return NULL;
  memcpy(other, bytes, size < before ? size : before);
  free(bytes);
  return other;
}

void *memalign(size_t alignment, size_t size) { return take(size, alignment < 16 ? 16 : alignment, 0); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **bytes, size_t alignment, size_t size) {
  void *made = memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  *bytes = made;
  return 0;
}

size_t malloc_usable_size(void *bytes) { return bytes == NULL ? 0 : header_of(bytes)->size; }

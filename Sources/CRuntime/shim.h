#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Functions of Swift's runtime that Swift itself cannot name.

// A part of the tables that the compiler leaves in each image (swift: stdlib/public/SwiftShims/swift/shims/MetadataSections.h).
struct runtime_range {
  uintptr_t start;
  size_t length;
};

struct runtime_sections {
  uintptr_t version;
  const void *base, *unused0, *unused1;
  struct runtime_range protocols, conformances, types;
};

struct runtime_response {
  const void *metadata;
  size_t state;
};

typedef __attribute__((swiftcall)) struct runtime_response (*runtime_accessor)(size_t request);
typedef void (*runtime_visitor)(const void *metadata, void *context);

extern void swift_enumerateAllMetadataSections(
    bool (*body)(const struct runtime_sections *, void *), void *context);
extern __attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(
    uintptr_t identity, uintptr_t implementation, uint64_t flags);

struct runtime_visit {
  runtime_visitor visitor;
  void *context;
};

static inline const char *runtime_relative(const int32_t *pointer, int32_t mask) {
  return (const char *)pointer + (*pointer & mask);
}

// Visits the metadata of each class of an image that is not generic (swift: include/swift/ABI/Metadata.h,
// TargetContextDescriptor and TargetTypeContextDescriptor).
static inline bool runtime_visit_sections(const struct runtime_sections *sections, void *context) {
  const struct runtime_visit *visit = (const struct runtime_visit *)context;
  const int32_t *records = (const int32_t *)sections->types.start;
  for (size_t index = 0; index < sections->types.length / sizeof(int32_t); index++) {
    // Records of other kinds than 0 lead to pointers into other images, which have records of their own.
    if (records[index] == 0 || (records[index] & 3) != 0) continue;
    const int32_t *descriptor = (const int32_t *)runtime_relative(&records[index], ~3);
    const int32_t flags = descriptor[0];
    if ((flags & 0x1f) != 16 || (flags & 0x80) != 0 || descriptor[3] == 0) continue;
    runtime_accessor accessor = (runtime_accessor)runtime_relative(&descriptor[3], ~0);
    const void *metadata = accessor(0).metadata;
    // Other kinds than that of Swift's own classes have other tables.
    if (metadata && *(const uintptr_t *)metadata == 0) visit->visitor(metadata, visit->context);
  }
  return true;
}

// Calls the visitor with the metadata of each class of the process that is not generic.
static inline void runtime_visit_classes(runtime_visitor visitor, void *context) {
  struct runtime_visit visit = {visitor, context};
  swift_enumerateAllMetadataSections(runtime_visit_sections, &visit);
}

// Tells whether the task that asks runs on an executor. Without the flag, the runtime ends programs in which it does not
// (swift: include/swift/ABI/Executor.h, `swift_task_is_current_executor_flag::MustNotAssert`).
static inline bool runtime_is_current_executor(uintptr_t identity, uintptr_t implementation) {
  const uint64_t must_not_assert = 0x10;
  return swift_task_isCurrentExecutorWithFlags(identity, implementation, must_not_assert);
}

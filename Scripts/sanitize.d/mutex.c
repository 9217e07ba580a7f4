// Shows the thread sanitizer the slow half of Swift's Mutex, which waits by a futex in a library that is not instrumented; the fast half is
// compiled into its users. Preloaded, it takes the place of the library's functions, which it calls. Nothing happens in programs without
// the sanitizer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

SWIFT void lock_slowly(uint32_t thread, SELF handle) __asm__(LOCK);
SWIFT void unlock_slowly(SELF handle) __asm__(UNLOCK);

SWIFT void lock_slowly(uint32_t thread, SELF handle) {
  typedef SWIFT void (*function)(uint32_t, SELF);
  ((function)dlsym(RTLD_NEXT, LOCK))(thread, handle);
  if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slowly(SELF handle) {
  typedef SWIFT void (*function)(SELF);
  if (__tsan_release) __tsan_release(handle);
  ((function)dlsym(RTLD_NEXT, UNLOCK))(handle);
}

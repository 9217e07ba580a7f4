// The program's own functions in the place of some of the C library, of Dispatch and of OpenSSL. Before a simulation begins, and for
// whatever it does not concern, they call the system's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

#define NEXT(name)                         \
  static __typeof__(name) *next = NULL;    \
  if (next == NULL) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

// 2026-01-01.
#define FIRST_SECOND 1767225600
static int64_t wall_seconds = FIRST_SECOND;

void sim_reset_wall_clock(void) { wall_seconds = FIRST_SECOND; }

void sim_step_wall_clock(int64_t seconds) { wall_seconds += seconds; }

int clock_gettime(clockid_t clock, struct timespec *time) {
  NEXT(clock_gettime);
  if (!sim_is_active) return next(clock, time);
  sim_point();
  uint64_t now = sim_now();
  time->tv_sec = (time_t)(now / 1000000000) + (clock == CLOCK_REALTIME ? wall_seconds : 0);
  time->tv_nsec = (long)(now % 1000000000);
  return 0;
}

int usleep(useconds_t microseconds) {
  NEXT(usleep);
  if (!sim_is_active || !sim_is_on_thread()) return next(microseconds);
  int64_t never = 0;
  sim_wait(&never, sim_now() + (uint64_t)microseconds * 1000);
  return 0;
}

static void fill(void *bytes, size_t count) {
  unsigned char *place = bytes;
  for (size_t index = 0; index < count; index += 8) {
    uint64_t number = sim_random();
    memcpy(place + index, &number, count - index < 8 ? count - index : 8);
  }
}

int RAND_bytes(unsigned char *bytes, int count) {
  NEXT(RAND_bytes);
  if (!sim_is_active) return next(bytes, count);
  fill(bytes, (size_t)count);
  return 1;
}

// Swift's Mutex takes its futex by this function, and its random numbers come from it. A thread that waited in the kernel would never give up its turn.
long syscall(long number, ...) {
  NEXT(syscall);
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
       e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_gettid && sim_is_on_thread()) return sim_thread_id();
  if (number == SYS_getrandom && sim_is_active) return fill((void *)a, (size_t)b), b;
  if (number == SYS_futex && sim_is_active) {
    int operation = (int)b & FUTEX_CMD_MASK;
    if (operation == FUTEX_LOCK_PI) {
      sim_lock_futex((uint32_t *)a, sim_thread_id());
      return 0;
    }
    if (operation == FUTEX_UNLOCK_PI) {
      __atomic_store_n((uint32_t *)a, 0, __ATOMIC_RELEASE);
      return 0;
    }
  }
  return next(number, a, b, c, d, e, f);
}

// Swift's tasks hold one while the closures run that their cancellation calls, which give up their turn.
int pthread_mutex_lock(pthread_mutex_t *mutex) {
  NEXT(pthread_mutex_lock);
  if (!sim_is_active || !sim_is_on_thread()) return next(mutex);
  int code;
  while ((code = pthread_mutex_trylock(mutex)) == EBUSY) sim_step_aside();
  return code;
}

// Files that go past SQLite

int open(const char *path, int flags, ...) {
  NEXT(open);
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  if (sim_is_active) {
    int descriptor = sim_descriptor_open(path, flags);
    if (descriptor >= 0) return descriptor;
    if (descriptor < -1) {
      errno = -descriptor;
      return -1;
    }
  }
  return next(path, flags, mode);
}

int close(int descriptor) {
  NEXT(close);
  return sim_descriptor_close(descriptor) ? 0 : next(descriptor);
}

int fdatasync(int descriptor) {
  NEXT(fdatasync);
  int code = sim_descriptor_sync(descriptor);
  if (code < 0) return next(descriptor);
  if (code > 0) errno = EIO;
  return code == 0 ? 0 : -1;
}

int fsync(int descriptor) {
  NEXT(fsync);
  int code = sim_descriptor_sync(descriptor);
  if (code < 0) return next(descriptor);
  if (code > 0) errno = EIO;
  return code == 0 ? 0 : -1;
}

static void describe(struct stat *status, int64_t size) {
  memset(status, 0, sizeof *status);
  status->st_mode = S_IFREG | 0600;
  status->st_size = size;
}

int fstat(int descriptor, struct stat *status) {
  NEXT(fstat);
  int64_t size = sim_descriptor_size(descriptor);
  if (size < 0) return next(descriptor, status);
  describe(status, size);
  return 0;
}

int stat(const char *path, struct stat *status) {
  NEXT(stat);
  int64_t size = sim_is_active ? sim_path_size(path) : -1;
  if (size < 0) return next(path, status);
  describe(status, size);
  return 0;
}

int access(const char *path, int mode) {
  NEXT(access);
  return sim_is_active && sim_path_size(path) >= 0 ? 0 : next(path, mode);
}

int truncate(const char *path, off_t size) {
  NEXT(truncate);
  return sim_is_active && sim_path_truncate(path, size) ? 0 : next(path, size);
}

int unlink(const char *path) {
  NEXT(unlink);
  if (sim_is_active) sim_path_remove(path);
  return next(path);
}

int statvfs(const char *path, struct statvfs *status) {
  NEXT(statvfs);
  int code = next(path, status);
  int64_t free = sim_is_active ? sim_path_free(path) : -1;
  if (code == 0 && free >= 0) {
    status->f_frsize = 4096;
    status->f_blocks = 1 << 20;
    status->f_bavail = status->f_bfree = (fsblkcnt_t)(free / 4096);
  }
  return code;
}

// Swift's runtime, whose jobs go to the scheduler

static void (*hand_over)(void *job, uint64_t delay);

__attribute__((swiftcall)) static void enqueue(void *job, void *original) { hand_over(job, 0); }
__attribute__((swiftcall)) static void enqueue_later(uint64_t delay, void *job, void *original) { hand_over(job, delay); }
__attribute__((swiftcall)) static void enqueue_until(
    long long seconds, long long nanoseconds, long long _a, long long _b, int clock, void *job, void *original) {
  // Both of Swift's clocks are the one that only goes forward.
  uint64_t time = (uint64_t)seconds * 1000000000 + (uint64_t)nanoseconds, now = sim_now();
  hand_over(job, time > now ? time - now : 0);
}

// Sleeping tasks go to Dispatch past the hooks; the time says by its two highest bits which clock's nanoseconds it counts.
void dispatch_after_f(uint64_t time, void *queue, void *context, void (*work)(void *)) {
  NEXT(dispatch_after_f);
  if (!sim_is_active) return next(time, queue, context, work);
  uint64_t deadline = time & ~(3ULL << 62), now = sim_now();
  hand_over(context, deadline > now ? deadline - now : 0);
}

// Dispatch would start a thread for the queue that it makes for them.
void dispatch_queue_set_width(void *queue, long width) {
  NEXT(dispatch_queue_set_width);
  if (!sim_is_active) next(queue, width);
}

// Dispatch holds its timers against the simulated clock and would set the system's again and again, which is ahead of it.
int timerfd_settime(int descriptor, int flags, const struct itimerspec *time, struct itimerspec *before) {
  NEXT(timerfd_settime);
  return sim_is_active ? 0 : next(descriptor, flags, time, before);
}

void sim_hook_executor(void (*enqueue_job)(void *job, uint64_t delay)) {
  hand_over = enqueue_job;
  const struct { const char *name; void *hook; } hooks[] = {
    {"swift_task_enqueueGlobal_hook", enqueue},
    {"swift_task_enqueueGlobalWithDelay_hook", enqueue_later},
    {"swift_task_enqueueGlobalWithDeadline_hook", enqueue_until},
  };
  for (size_t index = 0; index < sizeof hooks / sizeof *hooks; index++) {
    void **place = dlsym(RTLD_DEFAULT, hooks[index].name);
    if (place == NULL) abort();
    *place = hooks[index].hook;
  }
}

void sim_pin(uint32_t number) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(number, &processors);
  // Where it is not allowed, the process is slower.
  sched_setaffinity(0, sizeof processors, &processors);
}

void sim_limit_time(uint32_t seconds) {
  struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_PROF, &limit, NULL);
}

void sim_say(const char *text) {
  for (size_t rest = strlen(text); rest > 0;) {
    ssize_t count = write(1, text, rest);
    if (count <= 0) return;
    text += count;
    rest -= (size_t)count;
  }
}

static void serve(int slot, int requests, int answers, void (*run)(int), void (*warm_up)(int)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  char byte;
  while (read(requests, &byte, 1) == 1) {
    if (byte == 0) {
      warm_up(slot);
      if (write(answers, &byte, 1) != 1) break;
      continue;
    }
    int answer[2] = {fork(), 0};
    if (answer[0] == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      run(slot);
      _exit(127);
    }
    while (waitpid(answer[0], &answer[1], 0) < 0) {}
    if (write(answers, answer, sizeof answer) != sizeof answer) break;
  }
  _exit(0);
}

void sim_make_slots(sim_slot *slots, int count, void (*run)(int slot), void (*warm_up)(int slot)) {
  for (int slot = 0; slot < count; slot++) {
    int requests[2], answers[2];
    if (pipe(requests) != 0 || pipe(answers) != 0) abort();
    pid_t process = fork();
    if (process < 0) abort();
    if (process == 0) serve(slot, requests[0], answers[1], run, warm_up);
    slots[slot] = (sim_slot){requests[1], answers[0]};
  }
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) { return remove(path); }

void sim_remove_tree(const char *directory) { nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS); }

void sim_make_repeatable(char **arguments) {
  int persona = personality(0xffffffff);
  const char *hashing = getenv("SWIFT_DETERMINISTIC_HASHING");
  if (persona != -1 && persona & ADDR_NO_RANDOMIZE && hashing != NULL) return;
  if (hashing != NULL && getenv("SIMULATE_RANDOM_LAYOUT") != NULL) return;
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1);
  setenv("SWIFT_BACKTRACE", "enable=no", 0);
  // Where a container forbids it, runs still repeat unless something depends on addresses.
  if (personality((unsigned long)persona | ADDR_NO_RANDOMIZE) == -1) setenv("SIMULATE_RANDOM_LAYOUT", "1", 1);
  execv("/proc/self/exe", arguments);
  abort();
}

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <malloc.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

// Changes how the thread is scheduled, to one of the policies without priorities; 0 when done. The names of these are
// extensions that the Glibc module leaves out.
static inline int linux_schedule(pid_t thread, int policy) {
  struct sched_param none = {.sched_priority = 0};
  return sched_setscheduler(thread, policy, &none);
}

// pipe2 is an extension that the Glibc module leaves out.
static inline int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

// Where each signal is told of.
static inline volatile int *linux_signal_writers(void) {
  static volatile int writers[NSIG];
  return writers;
}

// A handler may call what is safe in one only, hence C; the number is all there is to say.
static inline void linux_tell_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe has been told of more than anybody needs to know.
  if (write(linux_signal_writers()[number], &byte, 1) < 1) errno = saved;
}

// From now on, a byte is written to `writer`, which must not block, when the process is sent the signal.
static inline int linux_watch_signal(int number, int writer) {
  linux_signal_writers()[number] = writer;
  struct sigaction action = {.sa_handler = linux_tell_signal, .sa_flags = SA_RESTART};
  return sigaction(number, &action, 0);
}

// Has blocks of that many bytes mapped by themselves, and keeps at most as many free at the end of a heap; 1 when done.
// Setting one of the two ends the C library's own adjusting of both (mallopt(3)).
static inline int linux_map_blocks(int size) {
  return mallopt(M_MMAP_THRESHOLD, size) & mallopt(M_TRIM_THRESHOLD, size);
}

// accept4 is an extension that the Glibc module leaves out.
int accept4(int, struct sockaddr *, socklen_t *, int);

// Waits by the monotonic clock; an extension that the Glibc module leaves out.
int sem_clockwait(sem_t *, clockid_t, const struct timespec *);

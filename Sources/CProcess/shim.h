#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// Describes a child process. `channel` becomes the descriptor `channel_target`, and standard input and output
// as well where that is 0. `replies` becomes the descriptor after it, unless it is negative.
struct process_description {
  const char *path;
  char *const *arguments;
  char *const *environment;
  const char *directory;
  int channel;
  int channel_target;
  int replies;
  int errors;
  uint64_t memory;
  int may_fork;
};

#if defined(__x86_64__)
#define PROCESS_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define PROCESS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// From here on the process can make threads, but no processes: `clone` fails with EPERM unless it is for a thread.
// `clone3` has its flags in memory, where a filter can't see them; ENOSYS makes the C library take `clone`.
static inline int process_forbid_fork(void) {
#ifdef PROCESS_ARCHITECTURE
  struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROCESS_ARCHITECTURE, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef __x86_64__
    // The x32 calls have numbers of their own.
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 7, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_fork, 6, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_vfork, 5, 0),
#endif
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 5, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    // The low half of the flags, the first argument on both architectures.
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 2, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
#else
  return -1;
#endif
}

// Processes that a child starts do not end with the gateway by themselves. So one of its group watches the channel,
// whose other end is the gateway's alone, and ends the group when that is gone. It is nobody's child whom a program
// could wait for.
static inline void process_guard(int channel) {
  pid_t id = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (id != 0) {
    if (id > 0) waitpid(id, 0, 0);
    return;
  }
  if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) != 0) _exit(0);
  if (channel != 0) dup2(channel, 0);
  syscall(SYS_close_range, 1, ~0u, 0);
  // Nothing is asked for, and POLLHUP is told of all the same.
  struct pollfd watched = {.fd = 0, .events = 0};
  while (poll(&watched, 1, -1) < 0 && errno == EINTR) continue;
  kill(0, SIGKILL);
  _exit(0);
}

// prctl takes any arguments, which Swift does not call.
static inline int process_close_to_others(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Takes from the child, and from all that it will start, the capabilities by which memory of other processes can be
// read: it may be root's, and so have them. Where it has none this fails, and does no harm.
static inline void process_drop_capabilities(void) {
  static const int dropped[] = {
    16 /* SYS_MODULE */, 17 /* SYS_RAWIO */, 19 /* SYS_PTRACE */, 21 /* SYS_ADMIN */, 38 /* PERFMON */,
    39 /* BPF */, 40 /* CHECKPOINT_RESTORE */
  };
  for (size_t index = 0; index < sizeof dropped / sizeof *dropped; index++) {
    prctl(PR_CAPBSET_DROP, dropped[index], 0, 0, 0);
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

static inline void process_limit(int resource, uint64_t value) {
  struct rlimit limit = {.rlim_cur = value, .rlim_max = value};
  setrlimit(resource, &limit);
}

// Between fork and exec only what is safe in a signal handler may be called, since other threads may have held
// any lock: hence C. Returns the child's id, or -1.
static inline pid_t process_start(const struct process_description *child, pid_t parent) {
  pid_t id = fork();
  if (id != 0) {
    // Both sides do it, so that the group is there when either needs it.
    if (id > 0) setpgid(id, id);
    return id;
  }
  setpgid(0, 0);
  // It ends with the thread that started it, and so with the gateway, however that ends.
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (getppid() != parent) _exit(127);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
  // Out of the way of the places that they are going to.
  int channel = fcntl(child->channel, F_DUPFD, 10);
  int errors = fcntl(child->errors, F_DUPFD, 10);
  int replies = child->replies < 0 ? -1 : fcntl(child->replies, F_DUPFD, 10);
  int nothing = open("/dev/null", O_RDWR);
  if (channel < 0 || errors < 0 || nothing < 0) _exit(127);
  int is_standard = child->channel_target == 0;
  if (dup2(is_standard ? channel : nothing, 0) < 0 || dup2(is_standard ? channel : errors, 1) < 0) _exit(127);
  if (dup2(errors, 2) < 0) _exit(127);
  int first = 3;
  if (!is_standard && dup2(channel, first++) < 0) _exit(127);
  if (replies >= 0 && dup2(replies, first++) < 0) _exit(127);
  if (syscall(SYS_close_range, first, ~0u, 0) != 0) {
    for (int descriptor = first; descriptor < 65536; descriptor++) close(descriptor);
  }
  if (chdir(child->directory) != 0) _exit(127);
  process_limit(RLIMIT_CORE, 0);
  process_drop_capabilities();
  if (child->memory != 0) process_limit(RLIMIT_DATA, child->memory);
  if (child->may_fork) process_guard(is_standard ? 0 : 3);
  else process_forbid_fork();
  // A file that somebody is still writing can't be run (ETXTBSY): whoever saves it is soon through.
  for (int attempt = 0; attempt < 500; attempt++) {
    execve(child->path, child->arguments, child->environment);
    if (errno != ETXTBSY) break;
    usleep(2000);
  }
  static const char text[] = "cannot be executed\n";
  if (write(2, text, sizeof text - 1) < 0) _exit(126);
  _exit(127);
}

// A descriptor that is ready to be read once the child has ended. Linux 5.3; the C library's own is newer.
static inline int process_descriptor(pid_t id) { return (int)syscall(SYS_pidfd_open, id, 0); }

// How a child ended, which stays to be waited for: its exit code, or 1000 and the signal; -1 while it runs.
static inline int process_ending(pid_t id) {
  siginfo_t info = {0};
  if (waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return -1;
  return info.si_code == CLD_EXITED ? info.si_status : 1000 + info.si_status;
}

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>

// `struct epoll_event` is packed and holds a union, and the event masks are an enum: plain integers are
// easier to handle.

static inline int linux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data = {.u64 = data}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline uint32_t linux_epoll_events(const struct epoll_event *events, int index) {
  return events[index].events;
}

static inline uint64_t linux_epoll_data(const struct epoll_event *events, int index) {
  return events[index].data.u64;
}

// Changes how the thread is scheduled, to one of the policies without priorities; 0 when done. The names of these are
// extensions that the Glibc module leaves out.
static inline int linux_schedule(pid_t thread, int policy) {
  struct sched_param none = {.sched_priority = 0};
  return sched_setscheduler(thread, policy, &none);
}

// accept4 is an extension that the Glibc module leaves out.
int accept4(int, struct sockaddr *, socklen_t *, int);

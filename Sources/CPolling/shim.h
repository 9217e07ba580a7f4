#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// `struct epoll_event` is packed and holds a union, and the event masks are an enum: plain integers are
// easier to handle.

static inline int polling_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data = {.u64 = data}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline uint32_t polling_events(const struct epoll_event *events, int index) {
  return events[index].events;
}

static inline uint64_t polling_data(const struct epoll_event *events, int index) {
  return events[index].data.u64;
}

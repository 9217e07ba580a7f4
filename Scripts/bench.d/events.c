// Subscribes many clients to one class and measures what reaches them. Talks to 127.0.0.1 only.
// Usage: events gatehouse|pocketbase PORT SUBSCRIBERS WRITES-PER-SECOND SECONDS [PID [FILTERS]]
// Prints one line: delivered events, events/s, share of what was due, p50 and p99 in µs from write to receipt,
// writes/s, KiB that the server grew by for each subscriber.
// With FILTERS each subscriber has an equality filter of its own, of which none ever matches.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { writers = 8, tail = 40, digits = 16 };
static const char marker[] = "\"name\":\"T";
enum { mark = sizeof marker - 1 };

typedef struct {
  int fd, ready, kept;
  char keep[tail];
} client;

static int port, is_pocketbase, count, rate, seconds, has_filters;
static atomic_long written, failed;
static atomic_int go, over;
static atomic_long first_id;
static long delivered;
static uint32_t *latencies;
static long latency_capacity = 1 << 23, latency_count;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static uint64_t now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static int dial(int index) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  // From several loopback addresses, so that ports last.
  struct sockaddr_in from = {.sin_family = AF_INET};
  from.sin_addr.s_addr = htonl(0x7f000002 + index / 2000);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) die("socket");
  if (bind(fd, (struct sockaddr *)&from, sizeof from)) die("bind");
  if (connect(fd, (struct sockaddr *)&to, sizeof to)) die("connect");
  int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return fd;
}

static void send_all(int fd, const char *text) {
  size_t length = strlen(text);
  while (length > 0) {
    ssize_t sent = send(fd, text, length, MSG_NOSIGNAL);
    if (sent <= 0) die("send");
    text += sent;
    length -= sent;
  }
}

// Reads one response whose content has a length, or none.
static int read_response(int fd) {
  char buffer[16384];
  size_t used = 0;
  for (;;) {
    ssize_t got = read(fd, buffer + used, sizeof buffer - 1 - used);
    if (got <= 0) return -1;
    used += got;
    buffer[used] = 0;
    char *end = strstr(buffer, "\r\n\r\n");
    if (!end) continue;
    char *length = strcasestr(buffer, "content-length:");
    size_t wanted = end + 4 - buffer + (length && length < end ? strtoul(length + 15, 0, 10) : 0);
    if (used >= wanted) return atoi(buffer + 9);
  }
}

static void subscribe(client *one, int index) {
  char request[512];
  one->fd = dial(index);
  if (is_pocketbase)
    snprintf(request, sizeof request, "GET /api/realtime HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port);
  else if (has_filters)
    snprintf(request, sizeof request,
      "GET /v1/collections/City?filter=timezone%%20==%%20'Zone/%d' HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
      "Accept: text/event-stream\r\n\r\n", index, port);
  else
    snprintf(request, sizeof request,
      "GET /v1/collections/City HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\n\r\n", port);
  send_all(one->fd, request);
}

// PocketBase says who a client is, and wants to be told by another request what it wants.
static void name_topic(const char *text, int fd) {
  const char *id = strstr(text, "\"clientId\":\"");
  if (!id) die("clientId");
  char body[256], request[512];
  snprintf(body, sizeof body, "{\"clientId\":\"%.*s\",\"subscriptions\":[\"City/*\"]}",
    (int)strcspn(id + 12, "\""), id + 12);
  snprintf(request, sizeof request,
    "POST /api/realtime HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
    "Content-Length: %zu\r\n\r\n%s", port, strlen(body), body);
  send_all(fd, request);
  int status = read_response(fd);
  if (status != 204 && status != 200) die("subscription");
}

static void await_ready(client *one, int control) {
  char buffer[8192];
  size_t used = 0;
  for (;;) {
    ssize_t got = read(one->fd, buffer + used, sizeof buffer - 1 - used);
    if (got <= 0) die("ready");
    used += got;
    buffer[used] = 0;
    if (is_pocketbase && strstr(buffer, "clientId") && strstr(buffer, "}")) return name_topic(buffer, control);
    if (!is_pocketbase && strstr(buffer, "event: ready\n")) return;
    if (used > 8000) die("no ready");
  }
}

static void note(const char *stamp, uint64_t now) {
  uint64_t then = 0;
  for (int i = 0; i < digits; i++) then = then * 10 + (stamp[i] - '0');
  delivered++;
  if (latency_count < latency_capacity) latencies[latency_count++] = now > then ? now - then : 0;
}

static void scan(client *one, char *bytes, size_t length, uint64_t now) {
  char *end = bytes + length, *at = bytes;
  while ((at = memmem(at, end - at, marker, mark)) && at + mark + digits <= end) {
    note(at + mark, now);
    at += mark + digits;
  }
  // What may be the beginning of a mark is looked at again with what follows.
  size_t kept = at ? (size_t)(end - at) : (length < mark - 1 ? length : mark - 1);
  memcpy(one->keep, end - kept, kept);
  one->kept = kept;
}

static void *receive(void *argument) {
  client *clients = argument;
  static char buffer[tail + (1 << 18)];
  struct epoll_event events[512];
  int poll = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < count; i++) {
    fcntl(clients[i].fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
    epoll_ctl(poll, EPOLL_CTL_ADD, clients[i].fd, &event);
  }
  go = 1;
  while (!over) {
    int ready = epoll_wait(poll, events, 512, 50);
    for (int i = 0; i < ready; i++) {
      client *one = events[i].data.ptr;
      memcpy(buffer, one->keep, one->kept);
      ssize_t got = read(one->fd, buffer + one->kept, 1 << 18);
      if (got == 0 || (got < 0 && errno != EAGAIN)) {
        epoll_ctl(poll, EPOLL_CTL_DEL, one->fd, 0);
        atomic_fetch_add(&failed, 1);
      }
      if (got > 0) scan(one, buffer, one->kept + got, now_us());
    }
  }
  return 0;
}

static void *write_some(void *argument) {
  int index = (int)(intptr_t)argument;
  int fd = dial(40000 + index);
  while (!go) usleep(1000);
  uint64_t start = now_us(), step = rate > 0 ? 1000000ull * writers / rate : 0;
  for (long n = 0; now_us() - start < 1000000ull * seconds; n++) {
    uint64_t due = start + n * step + (step * index) / writers;
    while (step && now_us() < due) usleep(due - now_us());
    char body[512], request[1024], id[64] = "";
    if (!is_pocketbase) snprintf(id, sizeof id, "\"_id\":%ld,", 900000000 + atomic_fetch_add(&first_id, 1));
    snprintf(body, sizeof body,
      "{%s\"name\":\"T%016llu\",\"population\":1,\"admin1\":\"\",\"timezone\":\"Europe/Paris\"}", id,
      (unsigned long long)now_us());
    snprintf(request, sizeof request,
      "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\nPrefer: return=minimal\r\n"
      "Content-Length: %zu\r\n\r\n%s",
      is_pocketbase ? "/api/collections/City/records" : "/v1/collections/City", port, strlen(body), body);
    send_all(fd, request);
    int status = read_response(fd);
    if (status < 200 || status > 204) {
      fprintf(stderr, "a write was answered %d\n", status);
      exit(1);
    }
    atomic_fetch_add(&written, 1);
  }
  close(fd);
  return 0;
}

static long resident(const char *pid) {
  char path[64], line[256];
  long kib = 0;
  if (!pid) return 0;
  snprintf(path, sizeof path, "/proc/%s/status", pid);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kib);
  if (file) fclose(file);
  return kib;
}

static int by_size(const void *a, const void *b) {
  uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
  return (one > other) - (one < other);
}

int main(int argc, char **argv) {
  if (argc < 6) return 2;
  is_pocketbase = !strcmp(argv[1], "pocketbase");
  port = atoi(argv[2]);
  count = atoi(argv[3]);
  rate = atoi(argv[4]);
  seconds = atoi(argv[5]);
  const char *pid = argc > 6 ? argv[6] : 0;
  has_filters = argc > 7;
  struct rlimit limit = {65536, 65536};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  first_id = now_us() % 1000000000;
  latencies = malloc(latency_capacity * sizeof *latencies);
  client *clients = calloc(count + 1, sizeof *clients);
  long before = resident(pid);
  int control = is_pocketbase ? dial(50000) : -1;
  // A part at a time, so that the backlog holds them.
  for (int i = 0; i < count; i += 200) {
    int end = i + 200 < count ? i + 200 : count;
    for (int j = i; j < end; j++) subscribe(&clients[j], j);
    for (int j = i; j < end; j++) await_ready(&clients[j], control);
  }
  long after = resident(pid);
  pthread_t receiver, threads[writers];
  uint64_t start = now_us();
  if (seconds > 0) {
    pthread_create(&receiver, 0, receive, clients);
    for (intptr_t i = 0; i < writers; i++) pthread_create(&threads[i], 0, write_some, (void *)i);
    for (int i = 0; i < writers; i++) pthread_join(threads[i], 0);
    uint64_t wrote = now_us();
    long due = has_filters ? 0 : written * count;
    // What is still on its way counts, and so does its time.
    for (uint64_t last = now_us(); delivered < due && now_us() - last < 5000000;) usleep(5000);
    uint64_t end = now_us();
    over = 1;
    pthread_join(receiver, 0);
    qsort(latencies, latency_count, sizeof *latencies, by_size);
    printf("%ld %.0f %.4f %u %u %.0f %.1f\n", delivered, delivered * 1e6 / (end - start),
      due ? (double)delivered / due : 1, latency_count ? latencies[latency_count / 2] : 0,
      latency_count ? latencies[latency_count * 99 / 100] : 0, written * 1e6 / (wrote - start),
      count ? (double)(after - before) / count : 0);
  } else {
    printf("0 0 1 0 0 0 %.1f\n", count ? (double)(after - before) / count : 0);
  }
  if (failed) fprintf(stderr, "%ld streams ended\n", (long)failed);
  return 0;
}

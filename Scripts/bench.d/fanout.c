// Subscribes many times to one class of a server, writes to it, and measures what arrives and when.
//
//   fanout PORT gatehouse|pocketbase SERVER-PID SUBSCRIBERS WRITES-PER-SECOND SECONDS WRITERS [filters]
//
// 0 writes per second: as many as the writers can. With `filters` each subscriber has an equality filter of its own,
// and each write concerns one of them. Prints: subscribers, events delivered, events per second, p50 and p99 of the
// time from write to receipt in milliseconds, writes per second, bytes of the server's memory per subscriber, events
// that did not arrive.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { carried = 24, piece = 1 << 18, buckets = 1 << 20, bucket = 10000 };  // 10 µs each

struct subscriber {
  int socket;
  unsigned char rest[carried];
  int length;
};

static int port, is_pocketbase, subscribers, rate, seconds, writers, has_filters;
static struct subscriber *all;
static atomic_long received, written, ready;
static atomic_int is_over;
static unsigned latencies[buckets];

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

// From an address of its own for each 10,000: one has not enough ports.
static int dial(int number) {
  int one = 1, descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001 + number / 10000)};
  struct sockaddr_in to = {
    .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (descriptor < 0) fail("socket");
  setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  if (bind(descriptor, (struct sockaddr *)&from, sizeof from)) fail("bind");
  if (connect(descriptor, (struct sockaddr *)&to, sizeof to)) fail("connect");
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return descriptor;
}

static void put(int socket, const char *text) {
  if (send(socket, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text)) fail("send");
}

// Reads until the text is there, and gives all of it.
static char *await(int socket, const char *text, char *buffer, size_t size) {
  size_t length = 0;
  char *found = NULL;
  while (!found && length + 1 < size) {
    ssize_t count = recv(socket, buffer + length, size - length - 1, 0);
    if (count <= 0) { fprintf(stderr, "fanout: no %s: %s\n", text, buffer); exit(1); }
    length += count;
    buffer[length] = 0;
    found = strstr(buffer, text);
  }
  return found;
}

static void post(int socket, const char *path, const char *body) {
  char request[1024], answer[8192];
  snprintf(request, sizeof request,
    "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
    path, strlen(body), body);
  put(socket, request);
  // The whole answer is as long as it says.
  size_t length = 0, needed = 0;
  while (!needed || length < needed) {
    ssize_t count = recv(socket, answer + length, sizeof answer - length - 1, 0);
    if (count <= 0) fail("answer");
    length += count;
    answer[length] = 0;
    char *end = strstr(answer, "\r\n\r\n");
    if (!end) continue;
    char *size = strcasestr(answer, "content-length: ");
    needed = end + 4 - answer + (size && size < end ? strtoul(size + 16, NULL, 10) : 0);
  }
  if (answer[9] != '2') { fprintf(stderr, "fanout: %s\n", answer); exit(1); }
}

static void subscribe(int number, int control) {
  char buffer[16384], text[512];
  int socket = dial(number);
  if (is_pocketbase) {
    put(socket, "GET /api/realtime HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    char *id = await(socket, "\"clientId\":\"", buffer, sizeof buffer) + 12;
    char *end = strchr(id, '"');
    if (!end) fail("clientId");
    *end = 0;
    snprintf(text, sizeof text, "{\"clientId\":\"%s\",\"subscriptions\":[\"load/*\"]}", id);
    post(control, "/api/realtime", text);
  } else {
    int length = snprintf(text, sizeof text, "GET /v1/collections/Load?since=now");
    if (has_filters) length += snprintf(text + length, sizeof text - length, "&filter=n%%3D%%3D%d", number);
    snprintf(text + length, sizeof text - length,
      " HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
    put(socket, text);
  }
  fcntl(socket, F_SETFL, O_NONBLOCK);
  all[number].socket = socket;
}

// Counts the marks of time in what has come; one that is cut off waits for its rest.
static void count(struct subscriber *subscriber, unsigned char *bytes, size_t length, long long time) {
  unsigned char *next = bytes, *end = bytes + length;
  long found = 0;
  while ((next = memmem(next, end - next, "@@", 2)) && end - next >= 22) {
    long long sent = 0;
    for (int i = 2; i < 22; i++) sent = sent * 10 + next[i] - '0';
    long long late = (time - sent) / bucket;
    latencies[late < 0 ? 0 : late >= buckets ? buckets - 1 : late]++;
    found++;
    next += 22;
  }
  int rest = next ? end - next : length && end[-1] == '@' ? 1 : 0;
  memcpy(subscriber->rest, end - rest, rest);
  subscriber->length = rest;
  if (found) atomic_fetch_add(&received, found);
}

static void *receive(void *unused) {
  int poller = epoll_create1(0);
  static unsigned char buffer[piece + carried];
  struct epoll_event events[512];
  for (int i = 0; i < subscribers; i++) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[i]};
    epoll_ctl(poller, EPOLL_CTL_ADD, all[i].socket, &event);
  }
  while (!is_over) {
    int total = epoll_wait(poller, events, 512, 50);
    for (int i = 0; i < total; i++) {
      struct subscriber *subscriber = events[i].data.ptr;
      memcpy(buffer, subscriber->rest, subscriber->length);
      ssize_t length = recv(subscriber->socket, buffer + subscriber->length, piece, 0);
      if (length == 0) { fprintf(stderr, "fanout: a stream has ended\n"); exit(1); }
      if (length < 0) continue;
      length += subscriber->length;
      if (ready < subscribers && !is_pocketbase && memmem(buffer, length, "event: ready", 12)) ready++;
      count(subscriber, buffer, length, now());
    }
  }
  return unused;
}

static void *write_all(void *argument) {
  int socket = dial(0);
  long number = (long)argument;
  unsigned seed = number;
  char body[128];
  long long start = now(), end = start + seconds * 1000000000LL;
  for (long i = 0;; i++) {
    long long due = rate ? start + (i * writers + number) * 1000000000LL / rate : now();
    if (due >= end) break;
    for (long long wait; (wait = due - now()) > 0;)
      nanosleep(&(struct timespec){wait / 1000000000, wait % 1000000000}, NULL);
    snprintf(body, sizeof body, "{\"n\":%d,\"t\":\"@@%020lld\"}", rand_r(&seed) % (subscribers ? subscribers : 1000), now());
    post(socket, is_pocketbase ? "/api/collections/load/records" : "/v1/collections/Load", body);
    written++;
  }
  close(socket);
  return NULL;
}

static long memory(const char *process) {
  char path[64], line[256];
  long size = 0;
  snprintf(path, sizeof path, "/proc/%s/status", process);
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &size);
  if (file) fclose(file);
  return size * 1024;
}

static double quantile(double part) {
  long total = 0, sum = 0;
  for (int i = 0; i < buckets; i++) total += latencies[i];
  for (int i = 0; i < buckets; i++)
    if ((sum += latencies[i]) >= total * part) return (i + 1) * bucket / 1e6;
  return 0;
}

int main(int count, char **arguments) {
  if (count < 8) { fprintf(stderr, "fanout: see the beginning of fanout.c\n"); return 2; }
  port = atoi(arguments[1]);
  is_pocketbase = !strcmp(arguments[2], "pocketbase");
  subscribers = atoi(arguments[4]);
  rate = atoi(arguments[5]);
  seconds = atoi(arguments[6]);
  writers = atoi(arguments[7]);
  has_filters = count > 8;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  all = calloc(subscribers + 1, sizeof *all);
  int control = dial(0);
  long before = memory(arguments[3]);
  for (int i = 0; i < subscribers; i++) subscribe(i, control);
  pthread_t receiver, threads[64];
  pthread_create(&receiver, NULL, receive, NULL);
  long long patience = now() + 60000000000LL;
  while (!is_pocketbase && ready < subscribers) {
    if (now() > patience) { fprintf(stderr, "fanout: %ld streams are ready\n", (long)ready); return 1; }
    usleep(10000);
  }
  usleep(200000);
  long after = memory(arguments[3]);
  long long start = now();
  for (long i = 0; i < writers; i++) pthread_create(&threads[i], NULL, write_all, (void *)i);
  for (int i = 0; i < writers; i++) pthread_join(threads[i], NULL);
  double writing = (now() - start) / 1e9;
  long expected = has_filters ? (subscribers ? written : 0) : written * subscribers;
  for (int i = 0; i < 300 && received < expected; i++) usleep(10000);
  double time = (now() - start) / 1e9;
  is_over = 1;
  pthread_join(receiver, NULL);
  printf("%d %ld %.0f %.2f %.2f %.0f %.0f %ld\n", subscribers, (long)received, received / time, quantile(0.5),
    quantile(0.99), written / writing, subscribers ? (double)(after - before) / subscribers : 0,
    expected - received);
  return 0;
}

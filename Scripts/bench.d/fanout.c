// Subscribes many times to one class of a server, writes to it, and measures what arrives and when.
//
//   fanout PORT gatehouse|pocketbase SERVER-PID SUBSCRIBERS WRITES-PER-SECOND SECONDS WRITERS [filters]
//   fanout PORT gatehouse SERVER-PID SUBSCRIBERS WRITES-PER-SECOND SECONDS WRITERS owners|rules FILE CLASS
//
// 0 writes per second: as many as the writers can. With `filters`, `owners` or `rules` each write concerns one
// subscriber: each has an equality filter of its own; or one by owner, for a user of FILE, and asks with the operator's
// key; or is that user, whom their role shows what is theirs. FILE has lines of owner and credential, the operator's
// first. Prints: subscribers, events delivered, events per second, p50 and p99 of the time from write to receipt in
// milliseconds, writes per second, bytes of the server's memory per subscriber, events that did not arrive, microseconds
// of the server's processor time per write.
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

struct owner {
  char id[64], credential[1024];
};

static int port, is_pocketbase, subscribers, rate, seconds, writers, has_filters, is_ruled, owner_count;
static struct owner *owners;
static const char *class = "Load";
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

// The field that says who asks: the operator is number -1.
static const char *authorization(int number, char *text, size_t size) {
  *text = 0;
  if (owners) snprintf(text, size, "Authorization: Bearer %s\r\n", owners[number + 1].credential);
  return text;
}

static void post(int socket, const char *path, const char *body) {
  char request[2048], answer[8192], field[1100];
  snprintf(request, sizeof request,
    "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
    path, authorization(-1, field, sizeof field), strlen(body), body);
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
  char buffer[16384], text[2048], field[1100];
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
    int length = snprintf(text, sizeof text, "GET /v1/collections/%s?since=now", class);
    if (has_filters && !owners) length += snprintf(text + length, sizeof text - length, "&filter=n%%3D%%3D%d", number);
    if (owners && !is_ruled)
      length += snprintf(text + length, sizeof text - length, "&filter=owner_id%%3D%%3D%%27%s%%27", owners[number + 1].id);
    snprintf(text + length, sizeof text - length,
      " HTTP/1.1\r\nHost: localhost\r\n%sAccept: text/event-stream\r\n\r\n",
      authorization(is_ruled ? number : -1, field, sizeof field));
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
  char body[256], path[64];
  snprintf(path, sizeof path, "/v1/collections/%s", class);
  long long start = now(), end = start + seconds * 1000000000LL;
  for (long i = 0;; i++) {
    long long due = rate ? start + (i * writers + number) * 1000000000LL / rate : now();
    if (due >= end) break;
    for (long long wait; (wait = due - now()) > 0;)
      nanosleep(&(struct timespec){wait / 1000000000, wait % 1000000000}, NULL);
    int to = rand_r(&seed) % (owners ? owner_count : subscribers ? subscribers : 1000);
    if (owners)
      snprintf(body, sizeof body, "{\"owner_id\":\"%s\",\"t\":\"@@%020lld\"%s}", owners[to + 1].id, now(),
        strcmp(class, "Linked") ? "" : ",\"topic\":1");
    else
      snprintf(body, sizeof body, "{\"n\":%d,\"t\":\"@@%020lld\"}", to, now());
    post(socket, is_pocketbase ? "/api/collections/load/records" : path, body);
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

// Seconds of processor time that the process has used.
static double processor_time(const char *process) {
  char path[64];
  long user = 0, system = 0;
  snprintf(path, sizeof path, "/proc/%s/stat", process);
  FILE *file = fopen(path, "r");
  if (file && fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system) != 2)
    user = system = 0;
  if (file) fclose(file);
  return (double)(user + system) / sysconf(_SC_CLK_TCK);
}

static void read_owners(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail(path);
  enum { most = 20001 };
  owners = calloc(most, sizeof *owners);
  while (owner_count < most
    && fscanf(file, "%63s %1023s", owners[owner_count].id, owners[owner_count].credential) == 2)
    owner_count++;
  fclose(file);
  // The operator owns nothing.
  if (--owner_count < 1 || owner_count < subscribers) { fprintf(stderr, "fanout: %s has %d owners\n", path, owner_count); exit(1); }
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
  if (count > 10) {
    is_ruled = !strcmp(arguments[8], "rules");
    class = arguments[10];
    read_owners(arguments[9]);
  }
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
  double used = processor_time(arguments[3]);
  long long start = now();
  for (long i = 0; i < writers; i++) pthread_create(&threads[i], NULL, write_all, (void *)i);
  for (int i = 0; i < writers; i++) pthread_join(threads[i], NULL);
  double writing = (now() - start) / 1e9;
  long expected = has_filters ? (subscribers ? written : 0) : written * subscribers;
  for (int i = 0; i < 300 && received < expected; i++) usleep(10000);
  double time = (now() - start) / 1e9;
  used = processor_time(arguments[3]) - used;
  is_over = 1;
  pthread_join(receiver, NULL);
  printf("%d %ld %.0f %.2f %.2f %.0f %.0f %ld %.1f\n", subscribers, (long)received, received / time, quantile(0.5),
    quantile(0.99), written / writing, subscribers ? (double)(after - before) / subscribers : 0,
    expected - received, written ? used / written * 1e6 : 0);
  return 0;
}

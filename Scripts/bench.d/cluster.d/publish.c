// Publishes messages to a stream, one after the other, and prints the median and the 99th percentile in microseconds.
// Usage: publish PORT SUBJECT SIZE COUNT
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static char input[1 << 20];

// Reads until the text is there, and ends the program where the server does not send it.
static void wait_for(int server, const char *text) {
  size_t count = 0;
  for (;;) {
    ssize_t more = recv(server, input + count, sizeof input - 1 - count, 0);
    if (more <= 0) exit(1);
    count += (size_t)more;
    input[count] = 0;
    if (strstr(input, text)) return;
  }
}

static void send_all(int server, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(server, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) exit(1);
    bytes += sent, count -= (size_t)sent;
  }
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
  if (count != 5) return 2;
  size_t size = (size_t)atol(arguments[3]);
  int messages = atoi(arguments[4]), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int server = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(server, (struct sockaddr *)&address, sizeof address) != 0) return 1;
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  wait_for(server, "\r\n");
  const char *hello = "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\nSUB in.plain 1\r\nPING\r\n";
  send_all(server, hello, strlen(hello));
  wait_for(server, "PONG\r\n");
  char *message = malloc(size + 400);
  double *times = calloc((size_t)messages, sizeof *times);
  for (int index = 0; index < messages; index++) {
    char head[200];
    int length = sprintf(head, "NATS/1.0\r\nNats-Msg-Id: plain.%d.%d.%d\r\n\r\n", getpid(), (int)size, index);
    int start = sprintf(message, "HPUB %s in.plain %d %zu\r\n%s", arguments[2], length, size + (size_t)length, head);
    memset(message + start, 'x', size);
    memcpy(message + start + size, "\r\n", 2);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    send_all(server, message, (size_t)start + size + 2);
    wait_for(server, "}\r\n");
    clock_gettime(CLOCK_MONOTONIC, &after);
    if (!strstr(input, "\"seq\":")) return fprintf(stderr, "%s\n", input), 1;
    times[index] = (after.tv_sec - before.tv_sec) * 1e6 + (after.tv_nsec - before.tv_nsec) / 1e3;
  }
  qsort(times, (size_t)messages, sizeof *times, compare);
  printf("%.0f %.0f\n", times[messages / 2], times[messages * 99 / 100]);
}

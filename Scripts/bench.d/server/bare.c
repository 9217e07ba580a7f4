// The limit to compare with: an epoll loop per thread that answers every read that ends in an empty line with
// fixed bytes. It parses nothing, has no timeouts and no limits.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] =
    "HTTP/1.1 200 OK\r\ncontent-length: 13\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
    "content-type: text/plain\r\n\r\nHello, World!";
static int port;

static int listener(void) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 1024)) {
    perror("bare");
    exit(1);
  }
  return fd;
}

static void serve(int fd) {
  char buffer[16384];
  ssize_t count = read(fd, buffer, sizeof buffer);
  if (count > 4 && memcmp(buffer + count - 4, "\r\n\r\n", 4) == 0) {
    if (write(fd, answer, sizeof answer - 1) < 0) close(fd);
  } else if (count == 0 || (count < 0 && errno != EAGAIN)) {
    close(fd);
  }
}

static void *loop(void *unused) {
  int epoll = epoll_create1(0), socket = listener(), on = 1;
  struct epoll_event events[256], event = {.events = EPOLLIN, .data.fd = socket};
  epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
  for (;;) {
    int count = epoll_wait(epoll, events, 256, -1);
    for (int index = 0; index < count; index++) {
      int fd = events[index].data.fd;
      if (fd != socket) {
        serve(fd);
        continue;
      }
      while ((fd = accept4(socket, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        event = (struct epoll_event){.events = EPOLLIN | EPOLLET, .data.fd = fd};
        epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
      }
    }
  }
  return unused;
}

int main(int count, char **arguments) {
  port = count > 1 ? atoi(arguments[1]) : 8081;
  signal(SIGPIPE, SIG_IGN);
  // As the server has it, so that the two differ in nothing but what they do.
  struct sched_param none = {0};
  if (count > 2 && strcmp(arguments[2], "batch") == 0) sched_setscheduler(0, SCHED_BATCH, &none);
  pthread_t thread;
  pthread_create(&thread, NULL, loop, NULL);
  loop(NULL);
}

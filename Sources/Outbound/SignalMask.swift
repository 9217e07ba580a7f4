internal import Glibc

/// The signals that a thread is not sent.
enum SignalMask {
  /// Runs `body` without `SIGPIPE`, which OpenSSL may raise by writing to a connection that is gone. libcurl would ignore it for the
  /// whole process for a while, which other threads would not expect.
  static func withoutBrokenPipes(_ body: () -> Void) {
    var (pipe, before) = (sigset_t(), sigset_t())
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    body()
    var now = timespec()
    // One that came meanwhile would be delivered now.
    while sigtimedwait(&pipe, nil, &now) == SIGPIPE {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

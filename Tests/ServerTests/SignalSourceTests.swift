import Glibc
import Server
import Testing

struct SignalSourceTests {
  /// Dispatch's own sources lose some of these.
  @Test(.timeLimit(.minutes(1)))
  func `no signal is lost, however soon it comes`() async throws {
    for _ in 0..<200 {
      let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
      let source = try SignalSource([SIGUSR1]) { continuation.yield($0) }
      kill(getpid(), SIGUSR1)
      #expect(await signals.first { _ in true } == SIGUSR1)
      withExtendedLifetime(source) {}
    }
  }
}

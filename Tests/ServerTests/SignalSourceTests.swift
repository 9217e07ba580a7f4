import Dispatch
import GatehouseServer
import Glibc
import Testing

struct SignalSourceTests {
  /// Dispatch's own sources lose some of these.
  @Test func `no signal is lost, however soon it comes`() throws {
    for _ in 0..<200 {
      let arrival = DispatchSemaphore(value: 0)
      let source = try SignalSource([SIGUSR1]) { if $0 == SIGUSR1 { arrival.signal() } }
      kill(getpid(), SIGUSR1)
      // Nothing else is waited for, so that other tests cannot hold this one up; a lost signal would never come.
      try #require(arrival.wait(timeout: .now() + .seconds(300)) == .success)
      withExtendedLifetime(source) {}
    }
  }
}

import GatehouseSharing
import Synchronization
import Testing

struct RateLimiterTests {
  /// A clock that goes when it is told to, in nanoseconds.
  private final class Clock: Sendable {
    let time = Atomic<UInt64>(1_000_000_000_000)

    func advance(milliseconds: UInt64) {
      time.add(milliseconds * 1_000_000, ordering: .relaxed)
    }
  }

  private let clock = Clock()

  private func limiter(_ requestsPerSecond: Int, burst: Int) -> RateLimiter {
    RateLimiter(requestsPerSecond: requestsPerSecond, burst: burst) { [clock] in
      clock.time.load(ordering: .relaxed)
    }
  }

  private let one = Caller(address: 1)
  private let second: UInt64 = 1_000_000_000

  @Test func `a bucket holds a burst, and gains a token each interval`() {
    let limiter = limiter(10, burst: 3)
    #expect((0..<5).map { _ in limiter.take(one) } == [nil, nil, nil, second / 10, second / 10])
    clock.advance(milliseconds: 60)
    #expect(limiter.take(one) == second / 25)
    clock.advance(milliseconds: 40)
    #expect([limiter.take(one), limiter.take(one)] == [nil, second / 10])
    // However long nobody came, there is no more than the burst.
    clock.advance(milliseconds: 3_600_000)
    #expect((0..<4).map { _ in limiter.take(one) } == [nil, nil, nil, second / 10])
  }

  @Test func `each address and each principal has a bucket`() {
    let limiter = limiter(1, burst: 1)
    let callers = [
      one, Caller(address: 2), Caller(address: 1, principal: "key/1"), Caller(address: 0, principal: "key/1"),
    ]
    for caller in callers { #expect(limiter.take(caller) == nil) }
    for caller in callers { #expect(limiter.take(caller) == second) }
  }

  @Test(arguments: [(0, 0), (.max, .max), (-1, .min), (1, .max)])
  func `any numbers make a limiter`(requestsPerSecond: Int, burst: Int) {
    #expect(limiter(requestsPerSecond, burst: burst).take(one) == nil)
  }

  @Test func `a caller who keeps coming is not forgotten for the many who come once`() {
    let limiter = limiter(1, burst: 1)
    #expect(limiter.take(one) == nil)
    for address in 2..<200_000 {
      #expect(limiter.take(Caller(address: UInt64(address))) == nil)
      if address % 10 == 0 { #expect(limiter.take(one) == second) }
    }
  }
}

public import GatehouseHTTP
public import GatehouseSharing
public import GatehouseStorage
import Synchronization

/// The policies that requests are held against and answered by, which may change while a gateway runs.
public struct RequestPolicies: Sendable {
  /// The hosts that requests may be addressed to, but for those from Unix-domain sockets, which no web page reaches.
  public var hosts = HostPolicy(.any)
  /// The web pages that may read responses; nil: none of another origin.
  public var cors: CORSPolicy?
  /// Limits how many requests a caller may make; nil: any number.
  public var rates: RateLimiter?
  /// The classes whose objects change only for those who say which state they know.
  public var conditionalWrites = ConditionalWrites.optional
  /// When writes are on the disk that do not say it themselves.
  public var durability = Durability.full
  /// Writes of queries that take long; nil: nobody does.
  public var slowQueries: SlowQueryLog?

  public init() {}
}

/// The policies of all gateways of a server, which take them up with their next requests.
public final class SharedPolicies: Sendable {
  private let policies: Mutex<RequestPolicies>
  private let generation = Atomic(0)

  public init(_ policies: RequestPolicies = RequestPolicies()) {
    self.policies = Mutex(policies)
  }

  /// Changes them. May be called from any thread.
  public func update(_ change: (inout RequestPolicies) throws -> Void) rethrows {
    try policies.withLock { try change(&$0) }
    generation.add(1, ordering: .releasing)
  }

  /// The policies as a loop has them, which belong to it.
  final class OfLoop {
    private let shared: SharedPolicies
    private var generation: Int
    private(set) var current: RequestPolicies

    init(_ shared: SharedPolicies) {
      self.shared = shared
      generation = shared.generation.load(ordering: .acquiring)
      current = shared.policies.withLock { $0 }
    }

    /// Takes up those that have been changed since. On the loop, before a request is looked at.
    func refresh() {
      let latest = shared.generation.load(ordering: .acquiring)
      guard latest != generation else { return }
      generation = latest
      current = shared.policies.withLock { $0 }
    }
  }
}

public import GatehouseHTTP
import GatehouseSharing
import GatehouseTelemetry

/// The cluster that a server is a node of, as its gateways see it.
public struct ClusterAccess: Sendable {
  /// The part of the node at one moment.
  public struct Standing: Hashable, Sendable {
    /// Whether it takes writes.
    public var isLeading: Bool
    /// Whether a read here sees all that was acknowledged anywhere before it.
    public var hasLease: Bool
    /// Whether it has heard lately of what is written elsewhere.
    public var isFresh: Bool
    /// Whether the log has answered it lately: otherwise another node may lead, and this one would not know.
    public var reachesLog = true
    /// The address of the node that leads; nil: none is known.
    public var leader: String?

    public init(isLeading: Bool, hasLease: Bool, isFresh: Bool, leader: String?) {
      (self.isLeading, self.hasLease, self.isFresh, self.leader) = (isLeading, hasLease, isFresh, leader)
    }
  }

  /// The state of the node, as operators see it.
  public struct Report: Hashable, Sendable {
    /// The node's address, which is its name.
    public var node: String
    /// `leader`, `follower` or `stopped`.
    public var role: String
    /// The last entry of the log that the node has, and the number of the last takeover before it.
    public var position: UInt64
    public var epoch: UInt64
    /// The digest of its store that was asked for last.
    public var digest: Digest?

    public init(node: String, role: String, position: UInt64, epoch: UInt64) {
      (self.node, self.role, self.position, self.epoch) = (node, role, position, epoch)
    }
  }

  /// A digest of all that the nodes have alike, at one place of the log.
  public struct Digest: Hashable, Sendable {
    /// The comparison that it is for.
    public var comparison: String
    /// The version that the store had there.
    public var version: Int64
    /// In hexadecimal; nil: it is being made.
    public var sha256: String?

    public init(comparison: String, version: Int64, sha256: String?) {
      (self.comparison, self.version, self.sha256) = (comparison, version, sha256)
    }
  }

  /// The part of the node in an app, which has a log of its own.
  public struct AppState: Sendable {
    let name: String
    let report: Report
    let standing: Standing
    /// The version of the app's store.
    let version: Int64

    public init(name: String, report: Report, standing: Standing, version: Int64) {
      (self.name, self.report, self.standing, self.version) = (name, report, standing, version)
    }
  }

  /// Has the node do what operators ask for. An app is named where one is meant, nil: the node's own database; functions that take one
  /// throw ``AppError/notFound`` and ``AppError/unavailable``.
  public struct Administration: Sendable {
    /// Returns the state of the node.
    public var report: @Sendable () -> Report
    /// Returns its part in each app.
    public var apps: @Sendable () -> [AppState]
    /// Has the node lead before all others once nobody does, within ten seconds.
    public var stand: @Sendable (_ app: String?) async throws -> Void
    /// Has the node stop to lead, if it does, and returns when it has.
    public var stepDown: @Sendable (_ app: String?) async throws -> Void
    /// Returns a copy of the store's file, for a node that begins.
    public var snapshot: @Sendable () async throws -> Response
    /// Has all nodes make a digest of their stores, where this one leads, and returns the name of the comparison.
    public var compare: @Sendable () async throws -> String

    public init(
      report: @escaping @Sendable () -> Report, apps: @escaping @Sendable () -> [AppState] = { [] },
      stand: @escaping @Sendable (_ app: String?) async throws -> Void,
      stepDown: @escaping @Sendable (_ app: String?) async throws -> Void,
      snapshot: @escaping @Sendable () async throws -> Response,
      compare: @escaping @Sendable () async throws -> String
    ) {
      (self.report, self.apps, self.stand, self.stepDown) = (report, apps, stand, stepDown)
      (self.snapshot, self.compare) = (snapshot, compare)
    }
  }

  /// The outcome of a request that was to be answered by the node that leads.
  public enum Outcome: Sendable {
    case answered(Response)
    /// This node leads by now, and has not answered it yet.
    case leading
    /// No node has done anything: none leads, or it cannot be reached.
    case unreachable
    /// The node that leads may have done it.
    case unknown
  }

  /// The key by which nodes ask each other; nil: they ask for nobody but clients.
  public var nodeKey: String?
  /// The most bytes of a request's content that another node is sent.
  public var contentLimit = 16 << 20
  /// Returns the part of the node now.
  public var standing: @Sendable () -> Standing
  /// Waits until something is so that may be so once the store has more of the log, for some time at most; returns whether it is.
  public var wait: @Sendable (_ limit: Duration, _ isSo: @escaping @Sendable () -> Bool) async -> Bool = {
    $1()
  }
  /// Bounds how often the node that leads is asked about the credentials of a caller that this one does not know.
  var unknownCallers = RateLimiter(requestsPerSecond: 1, burst: 20, now: { MonotonicClock.now() })
  /// Sends a request with its content to the node that leads, once there is one.
  public var forward: @Sendable (Request, [UInt8]) async -> Outcome
  /// Does what operators ask for.
  public let administration: Administration

  public init(
    standing: @escaping @Sendable () -> Standing, administration: Administration,
    forward: @escaping @Sendable (Request, [UInt8]) async -> Outcome
  ) {
    (self.standing, self.administration, self.forward) = (standing, administration, forward)
  }

  /// The name by which nodes know requests that another one has sent on (RFC 9110 §7.6.3).
  public static let pseudonym = "gatehouse-cluster"
}

import GatehouseCluster
import GatehouseStorage
import Glibc

/// `gatehouse cluster recover`.
struct ClusterRecoverCommand: Command {
  static let synopsis = Synopsis(
    "cluster recover", summary: "Has the store of a node begin the log of its cluster anew.",
    operands: ["VERSION"], optionalOperands: 1, settings: .some(["data", "cluster"]),
    details: """
      For a cluster whose log is lost or damaged, and whose nodes are not running. Without VERSION it says how far the store has come. \
      Run it so at each node; then with VERSION at the one that has come furthest, by the entry where \
      versions are the same: apps, keys and users make none. The store is checked, belongs to no \
      cluster then, and the server that is started on it first begins the log that cluster names, which must be empty. The others \
      become copies of it (cluster snapshot).
      """)

  private let directory: String
  /// Nil: nothing is changed.
  private let version: Int64?
  private let settings: Settings
  /// Whether the store is an app's, which has a log of its own.
  private let isApp: Bool

  init(_ arguments: Arguments, settings: Settings) throws {
    directory = settings.data
    self.settings = settings
    isApp = arguments.app != nil
    version = try arguments.operands.first.map { text in
      guard let version = Int64(text), version >= 0 else {
        throw CommandError.invalidValue(name: "VERSION", text: text, expected: "a version of the store")
      }
      return version
    }
  }

  func run() throws {
    do {
      let snapshot = try StoreSnapshot(directory: directory)
      guard let point = try snapshot.replicationPoint() else {
        throw ClusterFailure.noMember(directory: directory)
      }
      let found = try snapshot.version()
      Output.standard.write("version \(found), entry \(point.sequence)\n")
      guard let version else { return }
      guard version == found else { throw ClusterFailure.otherVersion(found: found) }
      let violations = try snapshot.check { _, _ in }
      guard violations.isEmpty else {
        throw CommandError.damaged(directory: directory, violations: violations.count)
      }
    }
    try requireEmptyLog()
    try ClusterDeparture.run(directory: directory)
    Output.error.write("start this server before all others\n")
  }

  /// Returns the first entries of a log, whose servers may have started a moment ago; nil: it is made when a node begins.
  private func page(of log: any ReplicatedLog) throws(ClusterFailure) -> LogPage? {
    for _ in 0..<30 {
      do throws(LogError) { return try log.read(after: 0, patience: .zero) } catch {
        switch error {
        case .unusable(.missing): return nil
        case .unavailable, .malformedAnswer: usleep(1_000_000)
        case .unauthorized, .unusable, .closed: throw .silentLog
        }
      }
    }
    throw .silentLog
  }

  private func log() throws -> any ReplicatedLog {
    guard isApp else { return try ClusterNode.log(settings) }
    guard let identity = IdentityFile.identity(in: directory) else {
      throw ClusterFailure.noMember(directory: directory)
    }
    return try ClusterNode.log(settings, ofApp: identity)
  }

  private func requireEmptyLog() throws {
    let log = try log()
    defer { log.close() }
    let page = try page(of: log)
    guard page?.last ?? 0 == 0 else { throw ClusterFailure.usedLog }
  }
}

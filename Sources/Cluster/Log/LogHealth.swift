/// The state of a log's servers, and whether their settings keep what they have acknowledged.
public struct LogHealth: Hashable, Sendable {
  /// Whether the servers agree on one among them that takes appends.
  public var hasLeader: Bool
  /// The copies that the log is kept in.
  public var replicas: Int
  /// How many of them have all entries.
  public var currentReplicas: Int
  /// The settings that can lose acknowledged entries, in the order of ``LogDefect``.
  public var defects: [LogDefect]

  public init(hasLeader: Bool, replicas: Int, currentReplicas: Int, defects: [LogDefect]) {
    self.hasLeader = hasLeader
    self.replicas = replicas
    self.currentReplicas = currentReplicas
    self.defects = defects
  }

  /// Returns the defects that keep a node from starting. A single server, as programmers have it, has one copy and may sync late.
  public func refusals(allowingSingleServer: Bool) -> [LogDefect] {
    guard allowingSingleServer else { return defects }
    return defects.filter { defect in
      switch defect {
      case .replicas, .syncInterval, .syncUnknown: false
      case .version, .deletable, .discards, .storage, .missing, .small: true
      }
    }
  }
}

/// A setting of a log's servers that can lose what was acknowledged, or with which the log cannot be used.
public enum LogDefect: Hashable, Sendable {
  /// The server is older than the first release that is known to keep what it acknowledges.
  case version(found: String, needed: String)
  /// Fewer than three copies.
  case replicas(Int)
  /// The server acknowledges before it has synced; the setting's value.
  case syncInterval(String)
  /// The server does not tell whether it syncs before it acknowledges.
  case syncUnknown
  /// Entries can be deleted one by one.
  case deletable
  /// Limits by which entries would go that a node still needs.
  case discards
  /// The log is in memory.
  case storage
  /// Entries of the size that a node may append are refused.
  case small(Int)
  /// There is no such log.
  case missing
}

extension LogDefect: CustomStringConvertible {
  /// A sentence that names the setting and the value that it should have.
  public var description: String {
    switch self {
    case .version(let found, let needed):
      "The log server is version \(found); \(needed) is the oldest that will do."
    case .replicas(let count):
      "The log has \(count) replica(s); it needs 3 (`num_replicas`)."
    case .syncInterval(let value):
      "The log server syncs after it has acknowledged (`sync_interval: \(value)`); set `sync_interval: always`."
    case .syncUnknown:
      "The log server does not tell its `sync_interval`, which has to be `always`: give its monitoring address."
    case .deletable: "Entries of the log can be deleted; set `deny_delete`."
    case .discards:
      "The log has other limits than it was made with (`retention`, `discard`, `max_msgs_per_subject`)."
    case .storage: "The log is kept in memory; it needs `storage: file`."
    case .small(let size):
      "The log takes entries of \(size) bytes; they have up to \(Entry.sizeLimit) (`max_payload`, `max_msg_size`)."
    case .missing: "There is no such log."
    }
  }
}

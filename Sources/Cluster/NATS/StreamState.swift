internal import GatehouseBSON

/// A stream as its leader knows it: its settings, and where it begins and ends.
struct StreamState {
  let first: UInt64
  let last: UInt64
  let replicas: Int
  let hasLeader: Bool
  let currentReplicas: Int
  /// The settings that can lose entries.
  let defects: [LogDefect]

  /// Reads the answer to `STREAM.INFO`; nil: it is none.
  init?(_ answer: Document, subject: String) {
    guard let config = answer["config"]?.document, let state = answer["state"]?.document,
      let first = state["first_seq"]?.number, let last = state["last_seq"]?.number, first >= 0, last >= 0
    else { return nil }
    self.last = UInt64(last)
    // A stream without messages says that the first one is 0, or the next one.
    self.first = max(1, UInt64(first))
    replicas = Int(clamping: config["num_replicas"]?.number ?? 1)
    // One server has no cluster.
    let cluster = answer["cluster"]?.document
    hasLeader = cluster.map { $0["leader"]?.text?.isEmpty == false } ?? true
    var current = hasLeader ? 1 : 0
    if case .array(let others)? = cluster?["replicas"] {
      current += others.count { $0.document?["current"] == .bool(true) }
    }
    currentReplicas = current
    defects = StreamState.defects(config, replicas: replicas, subject: subject)
  }

  private static func defects(_ config: Document, replicas: Int, subject: String) -> [LogDefect] {
    var defects: [LogDefect] = []
    if replicas < 3 { defects.append(.replicas(replicas)) }
    if config["deny_delete"] != .bool(true) { defects.append(.deletable) }
    let isWhole =
      config["retention"]?.text == "limits" && config["discard"]?.text == "old"
      && (config["max_msgs_per_subject"]?.number ?? -1) <= 0
      && config["subjects"] == .array([.string(subject)])
    if !isWhole { defects.append(.discards) }
    if config["storage"]?.text != "file" { defects.append(.storage) }
    // A stream may be told to acknowledge before it has written.
    if let mode = config["persist_mode"]?.text, mode != "", mode != "default" {
      defects.append(.syncInterval("persist_mode: \(mode)"))
    }
    let size = config["max_msg_size"]?.number ?? -1
    if size >= 0, size < Int64(Entry.sizeLimit) { defects.append(.small(Int(size))) }
    return defects
  }
}

internal import GatehouseBSON
internal import GatehouseScheduling
internal import GatehouseTelemetry
internal import Synchronization

/// A log in etcd: a key for each entry, and one that has the last position.
///
/// An append is a transaction that compares the last position, and puts both. Its identity stands with the entry, so that one that was
/// written though its answer was lost is found. etcd keeps 8 GB at most, so the log has to be shortened.
public final class EtcdLog: ReplicatedLog {
  /// The entries of one page: 512 KB each at most.
  private static let pageLimit: Int32 = 8

  private let options: EtcdOptions
  private let keys: EtcdKeys
  private let client: EtcdClient

  public init(_ options: EtcdOptions) {
    self.options = options
    keys = EtcdKeys(options.name)
    client = EtcdClient(options)
  }

  public func close() { client.close() }

  // Appending

  public func append(
    _ entry: [UInt8], expecting expected: UInt64, identity: String, limit: Duration
  ) -> AppendOutcome {
    precondition(entry.count <= Entry.sizeLimit, "an entry has at most so many bytes")
    let deadline = MonotonicClock.now() + limit.nanoseconds
    let transaction = transaction(entry, expecting: expected, identity: identity)
    var isInDoubt = false
    while true {
      let now = MonotonicClock.now()
      let rest = min(1_000_000_000, deadline > now ? deadline - now : 0)
      switch client.send("kv/txn", transaction, limit: .nanoseconds(max(rest, 1_000_000))) {
      case .answered(let answer):
        if answer["succeeded"] == .bool(true) { return .appended(expected + 1) }
        guard let (last, found) = refusal(answer) else {
          isInDoubt = true
          break
        }
        if let found, found.identity == identity { return .appended(expected + 1) }
        return .refused(current: last)
      case .unanswered: isInDoubt = true
      case .unsent, .unauthorized: break
      }
      guard MonotonicClock.now() < deadline, !client.isClosed else {
        return isInDoubt ? .inDoubt : .unavailable
      }
      pause()
    }
  }

  /// Returns the content of a request to append: where the last position is another one, it tells that, and the entry that is there.
  private func transaction(_ entry: [UInt8], expecting expected: UInt64, identity: String) -> Document {
    let compare: Document =
      expected == 0
      ? ["key": keys.last, "target": .string("VERSION"), "result": .string("EQUAL"), "version": .string("0")]
      : [
        "key": keys.last, "target": .string("VALUE"), "result": .string("EQUAL"),
        "value": EtcdKeys.bytes(Array(String(expected).utf8)),
      ]
    let position = EtcdKeys.bytes(Array(String(expected + 1).utf8))
    return [
      "compare": .array([.document(compare)]),
      "success": .array([
        [
          "requestPut": [
            "key": keys.entry(expected + 1), "value": EtcdEntry.value(entry, identity: identity),
          ]
        ], ["requestPut": ["key": keys.last, "value": position]],
      ]),
      "failure": .array([
        ["requestRange": ["key": keys.last]], ["requestRange": ["key": keys.entry(expected + 1)]],
      ]),
    ]
  }

  private func refusal(_ answer: Document) -> (last: UInt64, found: EtcdEntry?)? {
    guard case .array(let answers)? = answer["responses"], answers.count == 2 else { return nil }
    let ranges = answers.map { $0.document?["response_range"]?.document }
    guard let last = ranges[0].map(EtcdLog.position) else { return nil }
    return (last, ranges[1].flatMap { EtcdLog.pairs($0).first }.flatMap { EtcdEntry($0, keys) })
  }

  private static func pairs(_ range: Document) -> [Value] {
    if case .array(let pairs)? = range["kvs"] { pairs } else { [] }
  }

  /// The last position, where the range has its key; 0: there is none.
  private static func position(_ range: Document) -> UInt64 {
    EtcdKeys.decode(pairs(range).first?.document?["value"])
      .flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } ?? 0
  }

  private func pause() { _ = options.scheduler.makeSignal().wait(for: .milliseconds(20)) }

  // Reading

  public func read(after position: UInt64, patience: Duration) throws(LogError) -> LogPage {
    let (page, revision) = try page(after: position)
    guard page.items.isEmpty, patience > .zero else { return page }
    let signal = options.scheduler.makeSignal()
    let watch: Document = [
      "create_request": [
        "key": keys.last, "start_revision": .string(String(revision + 1)),
        "progress_notify": .bool(false),
      ]
    ]
    let deadline = MonotonicClock.now() + patience.nanoseconds
    let task = client.watch(watch) { signal.signal() }
    defer { task.cancel() }
    // The first sign is that the watch was made.
    while signal.wait(for: .nanoseconds(deadline - min(deadline, MonotonicClock.now()))) {
      let (page, _) = try self.page(after: position)
      if !page.items.isEmpty { return page }
    }
    return try self.page(after: position).page
  }

  /// Reads entries, the first one of all and the last position in one transaction.
  private func page(after position: UInt64) throws(LogError) -> (page: LogPage, revision: Int64) {
    let transaction: Document = [
      "success": .array([
        ["requestRange": ["key": keys.last]],
        [
          "requestRange": [
            "key": keys.entry(0), "range_end": keys.end, "limit": .string("1"), "keys_only": .bool(true),
          ]
        ],
        [
          "requestRange": [
            "key": keys.entry(position + 1), "range_end": keys.end,
            "limit": .string(String(EtcdLog.pageLimit)),
          ]
        ],
      ])
    ]
    guard !client.isClosed else { throw .closed }
    switch client.send("kv/txn", transaction, limit: .seconds(2)) {
    case .unsent, .unanswered: throw .unavailable
    case .unauthorized: throw .unauthorized
    case .answered(let answer): return try page(of: answer)
    }
  }

  /// Reads the answer to the transaction of ``page(after:)``. Positions and revisions that have none behind them are no server's.
  func page(of answer: Document) throws(LogError) -> (page: LogPage, revision: Int64) {
    guard case .array(let answers)? = answer["responses"], answers.count == 3,
      let revision = answer["header"]?.document?["revision"]?.text.flatMap({ Int64($0) }), revision < .max
    else { throw .malformedAnswer }
    let ranges = answers.map { $0.document?["response_range"]?.document ?? Document() }
    let last = EtcdLog.position(ranges[0])
    guard last < .max else { throw .malformedAnswer }
    let first = keys.position(of: EtcdLog.pairs(ranges[1]).first?.document?["key"]) ?? last + 1
    var items: [LogPage.Item] = []
    for pair in EtcdLog.pairs(ranges[2]) {
      guard let entry = EtcdEntry(pair, keys) else { throw .malformedAnswer }
      items.append(LogPage.Item(position: entry.position, bytes: entry.bytes))
    }
    return (LogPage(items, first: first, last: last), revision)
  }

  // Health

  public func health() throws(LogError) -> LogHealth {
    guard !client.isClosed else { throw .closed }
    switch client.send("cluster/member/list", Document(), limit: .seconds(2)) {
    case .unsent, .unanswered: throw .unavailable
    case .unauthorized: throw .unauthorized
    case .answered(let answer):
      guard case .array(let members)? = answer["members"] else { throw .malformedAnswer }
      let replicas = members.count { $0.document?["isLearner"] != .bool(true) }
      var health = LogHealth(hasLeader: false, replicas: replicas, currentReplicas: 0, defects: [])
      if replicas < 3 { health.defects.append(.replicas(replicas)) }
      for address in options.addresses { ask(address, &health) }
      return health
    }
  }

  public func remove() throws(LogError) {
    let (first, end) = keys.all
    switch client.send("kv/deleterange", ["key": first, "range_end": end], limit: .seconds(5)) {
    case .answered: break
    case .unauthorized: throw .unauthorized
    case .unsent, .unanswered: throw client.isClosed ? .closed : .unavailable
    }
  }

  /// Adds what a server says of itself.
  private func ask(_ address: ServerAddress, _ health: inout LogHealth) {
    let answer = client.send(
      "maintenance/status", Document(), to: address, limit: .seconds(1), mayLogIn: true)
    guard case .answered(let status) = answer else { return }
    // A server that knows of no leader says that it is 0, or nothing.
    guard let leader = status["leader"]?.text, leader != "0" else { return }
    health.hasLeader = true
    health.currentReplicas += 1
    guard let version = status["version"]?.text, let defect = EtcdLog.defect(version) else { return }
    if !health.defects.contains(defect) { health.defects.insert(defect, at: 0) }
  }

  /// The releases 3.5.0 to 3.5.2 could have members with different data (etcd's postmortem of 2022), and those before 3.4 are not known.
  static func defect(_ version: String) -> LogDefect? {
    let numbers = version.split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? -1 }
    guard numbers.count == 3, !numbers.lexicographicallyPrecedes([3, 4, 0]) else {
      return .version(found: version, needed: "3.4.0")
    }
    let isDamaging = numbers.starts(with: [3, 5]) && numbers[2] < 3
    return isDamaging ? .version(found: version, needed: "3.5.3") : nil
  }
}

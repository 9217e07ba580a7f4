import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded

/// A client with several subscriptions in one stream, which keeps the data of each and shows them at each version that is closed.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class ReplicaFollower: @unchecked Sendable {
  private static let limit = 4

  private let index: Int
  private let world: World
  private let stream: StreamClient
  /// The objects of the subscriptions `all` and `group`, by their keys.
  private var objects: [String: [Int: [String: Plain]]] = [:]
  /// The results of the subscription `results`; nil: they have not begun.
  private var results: [[String: Plain]]?
  /// The last position of each subscription.
  private var positions: [String: String] = [:]
  /// The subscriptions that have ended since the stream began: what they watch could not be read.
  private var ended: Set<String> = []
  private var closed: Int64 = 0
  private var count = 0
  /// Whether something was missed, so that the data is nobody's.
  private var isLost = false

  init(_ index: Int, in world: World) {
    self.index = index
    self.world = world
    stream = StreamClient(index, in: world, world.scenario.generator(300 + UInt64(index)))
    stream.follow { [self] in
      (results, ended) = (nil, [])
      return World.request(.post, "/v1/streams", json: subscriptions)
    } refused: { [self] answer in
      if answer.status == 410 { isLost = true }
    } _: { [self] frame in
      take(StreamFrame(frame))
    }
  }

  private var subscriptions: String {
    let resources = [
      ("all", "/v1/collections/Item"), ("group", "/v1/collections/Item?filter=group%20%3D%3D%201"),
      (
        "results",
        "/v1/collections/Item?mode=results&sort=-n,_id&limit=\(Self.limit)&filter=group%20%3D%3D%201"
      ),
    ]
    let items = resources.map { name, url in
      let position = name == "results" ? "" : #","lastEventId":"\#(positions[name] ?? "0")""#
      return #"{"name":"\#(name)","url":"\#(url)"\#(position)}"#
    }
    return "[\(items.joined(separator: ","))]"
  }

  private func take(_ frame: StreamFrame) {
    guard let name = frame.name, let data = frame.data, let value = try? Value(json: data, as: .plain) else {
      return
    }
    Simulation.note("m\(index): \(frame.id ?? "-") \(name) \(value["subscription"]?.text ?? "")")
    switch name {
    case "stream", "heartbeat": break
    case "version": close(Int64(value["version"]?.integer ?? 0), at: frame.id)
    case "end":
      guard let subscription = value["subscription"]?.text else { return }
      ended.insert(subscription)
      if subscription == "results" { results = nil }
    case "resync": isLost = true
    default:
      guard let subscription = value["subscription"]?.text else {
        return Simulation.fail("m\(index) was sent \(name) of no subscription: \(data)")
      }
      if subscription == "results" { return applyResults(name, value) }
      apply(name, value, to: subscription)
      if let id = frame.id { positions[subscription] = id }
    }
  }

  private func apply(_ name: String, _ value: Value, to subscription: String) {
    guard let id = value["id"]?.integer else { return }
    switch name {
    case "insert", "update":
      if let members = value["object"]?.members { objects[subscription, default: [:]][id] = members }
    case "delete": objects[subscription]?[id] = nil
    default: break
    }
  }

  private func applyResults(_ name: String, _ value: Value) {
    func indices(_ name: String) -> [Int] { value[name]?.values?.compactMap(\.integer) ?? [] }
    func members(_ name: String) -> [[String: Plain]] { value[name]?.values?.compactMap(\.members) ?? [] }
    if name == "initial" { results = members("objects") }
    guard name == "update", var objects = results else { return }
    let count = objects.count - indices("deletions").count + indices("insertions").count
    guard indices("deletions").allSatisfy({ $0 < objects.count }),
      (indices("insertions") + indices("modificationsNew")).allSatisfy({ $0 < count })
    else { return Simulation.fail("m\(index) has \(objects.count) results, and is told \(value)") }
    for place in indices("deletions").reversed() { objects.remove(at: place) }
    for (place, object) in zip(indices("insertions"), members("inserted")) {
      objects.insert(object, at: place)
    }
    for (place, object) in zip(indices("modificationsNew"), members("modified")) { objects[place] = object }
    results = objects
  }

  /// Shows everything as it was at a version.
  private func close(_ version: Int64, at position: String?) {
    if version < closed { Simulation.fail("m\(index) was shown version \(version) after \(closed)") }
    closed = version
    if let position {
      for name in ["all", "group"] where !ended.contains(name) { positions[name] = position }
    }
    count += 1
    // Every one would be as much work as all else.
    if count % 4 == 0 { show() }
  }

  private func show() {
    guard !isLost, closed >= world.schemaFloor else { return }
    // It may not have been told the beginning of a log that is shortened.
    for (name, group) in [("all", nil), ("group", 1)]
    where world.scenario.logSize == nil && !ended.contains(name) {
      let shown = (objects[name] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
      world.note(.replica(group: group, shown), at: closed, by: "m\(index)")
    }
    if let results {
      world.note(.results(group: 1, limit: Self.limit, results), at: closed, by: "m\(index)'s results")
    }
  }

  /// Notes what a crash may have taken back, though a stream tells only what is durable.
  func forget(after last: Int64) {
    if closed > last {
      Simulation.fail("m\(index) was shown version \(closed), which a crash has taken back to \(last)")
    }
  }

  /// Takes everything by the stream that it has.
  func stay() { stream.stay() }

  /// Ends without a look at what has come.
  func stop() { stream.finish() }

  /// Waits until the last version was shown, and shows it.
  func finish(last: Int64) async throws {
    for _ in 0..<600 where closed < last && !isLost { try await Task.sleep(nanoseconds: 100_000_000) }
    stream.finish()
    if isLost {
      guard world.mayLoseEvents else { throw Failure("m\(index) has missed something") }
      return
    }
    // Commits that concern no subscription are not told.
    show()
  }
}

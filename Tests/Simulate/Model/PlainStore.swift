import GatehouseBSON

/// The data as the change log tells of it: a model without transactions, files or threads, for each version.
struct PlainStore {
  typealias Object = [String: Plain]

  private struct Change {
    let version: Int64
    let number: Int
    let line: String
    let operation: String
    let objectType: String?
    let id: Int
    let before: Object
    let after: Object
    let schema: Value?
  }

  /// The states after each version; the first is the empty one, of version 0.
  private(set) var states: [[Int: Object]] = [[:]]
  /// The lines of the log, by version, from 1.
  private(set) var lines: [[String]] = [[]]
  /// The events that whoever watches the class gets, in order.
  private(set) var events: [(id: String, name: String, object: Int)] = []
  private var versions: [String: Int64] = [:]
  /// The version in which each object was changed last.
  private var changes: [Int: Int64] = [:]
  /// The versions in which the schema was changed; after the first, objects may change by that as well.
  private var schemaChanges: [Int64] = []
  private let losesClasses: Bool

  var lastVersion: Int64 { Int64(states.count - 1) }

  /// Reads the log from its first line on, and holds it against what clients know.
  ///
  /// - Parameter losesClasses: Whether lines may be gone from it with the classes of their objects.
  init(log: [UInt8], _ attempts: [String: Attempt], losesClasses: Bool = false) throws {
    self.losesClasses = losesClasses
    var changes: [Change] = []
    for line in log.split(separator: 0x0A) { changes.append(try Self.change(Array(line))) }
    var index = 0
    while index < changes.count {
      let version = changes[index].version
      let end = changes[index...].firstIndex { $0.version != version } ?? changes.count
      while losesClasses, version > lastVersion + 1 { try append([], attempts) }
      guard version == lastVersion + 1 else {
        throw Failure("the log has version \(version) after \(lastVersion)")
      }
      try append(Array(changes[index..<end]), attempts)
      index = end
    }
    try compare(with: attempts)
  }

  private static func change(_ line: [UInt8]) throws -> Change {
    let value = try Value(json: line, as: .plain)
    guard let version = value["version"]?.integer, let number = value["n"]?.integer,
      let operation = value["operation"]?.text
    else { throw Failure("a line of the log is none: \(String(decoding: line, as: UTF8.self))") }
    return Change(
      version: Int64(version), number: number, line: String(decoding: line, as: UTF8.self),
      operation: operation,
      objectType: value["class"]?.text, id: value["id"]?.integer ?? -1,
      before: value["before"]?.members ?? [:],
      after: value["after"]?.members ?? [:], schema: operation == "schema" ? value["after"] : nil)
  }

  // One commit

  private mutating func append(_ changes: [Change], _ attempts: [String: Attempt]) throws {
    let version = lastVersion + 1
    var state = states[states.count - 1]
    var steps: Set<Attempt.Step> = []
    var tags: Set<String> = []
    var unlinked: Set<Int> = []
    for (number, change) in changes.enumerated() {
      guard change.number == number || losesClasses && change.number > number else {
        throw Failure("version \(version) has no change \(number): \(change.line)")
      }
      if let schema = change.schema {
        Self.useProperties(of: schema, in: &state)
        schemaChanges.append(version)
      }
      guard change.objectType == "Item" else { continue }
      events.append((id: "\(version)-\(change.number)", name: change.operation, object: change.id))
      if case .text(let tag)? = change.after["tag"] { tags.insert(tag) }
      switch change.operation {
      case "insert":
        guard state[change.id] == nil else {
          throw Failure("version \(version) inserts \(change.id), which is there")
        }
        state[change.id] = change.after
        steps.insert(.insert(change.id))
      case "update":
        guard var object = state[change.id] else {
          throw Failure("version \(version) updates \(change.id), which is not there")
        }
        for (name, value) in change.before where object[name] != value {
          throw Failure(
            "version \(version): \(name) of \(change.id) was \(String(describing: object[name])), not \(value)"
          )
        }
        object.merge(change.after) { $1 }
        state[change.id] = object
        if change.after["tag"] == nil { unlinked.insert(change.id) } else { steps.insert(.update(change.id)) }
      case "delete":
        guard state.removeValue(forKey: change.id) != nil else {
          throw Failure("version \(version) deletes \(change.id), which is not there")
        }
        steps.insert(.delete(change.id))
      default: throw Failure("version \(version) has a change of no kind: \(change.line)")
      }
    }
    try hold(steps, of: version, tags: tags, unlinked: unlinked, state, attempts)
    for change in changes where change.objectType == "Item" { self.changes[change.id] = version }
    states.append(state)
    lines.append(changes.filter { !losesClasses || $0.objectType == "Item" }.map(\.line))
  }

  /// Gives objects the properties of another schema, and no others.
  private static func useProperties(of schema: Value, in state: inout [Int: Object]) {
    let item = schema.values?.first { $0["name"]?.text == "Item" }
    guard case .document(let properties)? = item?["properties"] else { return }
    let names = properties.elements.map(\.key)
    for (id, object) in state {
      state[id] = Object(uniqueKeysWithValues: names.map { ($0, object[$0] ?? .null) })
    }
  }

  /// Holds a commit against the attempt that it is of: all of it, and nothing else.
  private mutating func hold(
    _ steps: Set<Attempt.Step>, of version: Int64, tags: Set<String>, unlinked: Set<Int>,
    _ after: [Int: Object],
    _ attempts: [String: Attempt]
  ) throws {
    guard tags.count <= 1 else {
      throw Failure("version \(version) is of several requests: \(tags.sorted())")
    }
    let before = states[states.count - 1]
    let gone = steps.compactMap { if case .delete(let id) = $0 { id } else { nil } }
    for id in unlinked {
      guard case .integer(let target)? = before[id]?["next"], gone.contains(target) else {
        throw Failure("version \(version) changes \(id), which no request has asked for")
      }
    }
    guard let tag = tags.first else {
      guard gone.count == steps.count else { throw Failure("version \(version) has changes of no request") }
      return
    }
    guard let attempt = attempts[tag] else {
      throw Failure("version \(version) is of \(tag), which nobody has asked for")
    }
    guard versions.updateValue(version, forKey: tag) == nil else {
      throw Failure("\(tag) was performed twice")
    }
    if let condition = attempt.condition, schemaChanges.count < 2,
      self.changes[condition.object] != condition.version
    {
      throw Failure(
        "\(tag) was performed as version \(version), on condition that \(condition.object) is of version "
          + "\(condition.version), which is of \(String(describing: self.changes[condition.object]))")
    }
    let expected: Set<Attempt.Step>
    switch attempt.kind {
    case .steps(let steps): expected = Set(steps)
    case .increment(let id):
      expected = [.update(id)]
      guard case .integer(let old)? = before[id]?["count"], after[id]?["count"] == .integer(old + 1) else {
        throw Failure("version \(version) does not add one to the count of \(id), as \(tag) has asked for")
      }
    case .group(let number):
      expected = Set(before.filter { $0.value["group"] == .integer(number) }.map { .update($0.key) })
    }
    guard steps == expected else {
      throw Failure("\(tag) was performed in part: version \(version) has \(steps), not \(expected)")
    }
  }

  // All of it

  private func compare(with attempts: [String: Attempt]) throws {
    for attempt in attempts.values.sorted(by: { $0.tag < $1.tag }) {
      if attempt.deletion != nil {
        try compareDeletion(attempt)
        continue
      }
      switch attempt.outcome {
      case .unclear: break
      case .performed:
        if versions[attempt.tag] == nil { throw Failure("\(attempt.tag) was acknowledged, and is not there") }
      case .refused(let status):
        if let version = versions[attempt.tag] {
          throw Failure("\(attempt.tag) was refused by \(status), and is version \(version)")
        }
      case .acknowledged(let version):
        if case .group(let number) = attempt.kind, hasNone(of: number, at: version) { break }
        guard versions[attempt.tag] == version else {
          throw Failure(
            "\(attempt.tag) was acknowledged as version \(version), and is "
              + (versions[attempt.tag].map { "version \($0)" } ?? "not there"))
        }
      }
    }
    try countDeletions(attempts)
  }

  /// Whether there was nothing to do for an update of a group.
  private func hasNone(of group: Int, at version: Int64) -> Bool {
    version <= lastVersion && !states[Int(version)].values.contains { $0["group"] == .integer(group) }
  }

  private func deletes(_ id: Int, in version: Int64) -> Bool {
    guard version > 0, version <= lastVersion else { return false }
    return states[Int(version) - 1][id] != nil && states[Int(version)][id] == nil
  }

  private func compareDeletion(_ attempt: Attempt) throws {
    guard case .acknowledged(let version) = attempt.outcome, let id = attempt.deletion,
      !deletes(id, in: version)
    else {
      return
    }
    throw Failure(
      "\(attempt.tag), the deletion of \(id), was acknowledged as version \(version), which does not have it")
  }

  /// Each deletion that no tag names is one that somebody has asked for, and was not refused.
  private func countDeletions(_ attempts: [String: Attempt]) throws {
    var asked: [Int: Int] = [:]
    for attempt in attempts.values {
      if case .refused = attempt.outcome { continue }
      if let id = attempt.deletion { asked[id, default: 0] += 1 }
      if case .steps(let steps) = attempt.kind, steps.count > 1, versions[attempt.tag] != nil {
        for case .delete(let id) in steps { asked[id, default: 0] += 1 }
      }
    }
    for event in events where event.name == "delete" { asked[event.object, default: 0] -= 1 }
    for (id, count) in asked.sorted(by: { $0.key < $1.key }) where count < 0 {
      throw Failure("\(id) was deleted more often than anybody has asked for")
    }
  }

  /// Throws where the log before is not the beginning of this one, up to a version.
  func continues(_ other: PlainStore, through version: Int64) throws {
    for index in 0...Int(max(0, version)) {
      guard index < lines.count else {
        throw Failure("version \(index) was in the log, and is not there any more")
      }
      guard lines[index] == other.lines[index] else {
        throw Failure("version \(index) of the log was \(other.lines[index]), and is \(lines[index])")
      }
    }
  }

  /// The place of the version in which the tag was written; nil: in none.
  func version(of tag: String) -> Int64? { versions[tag] }

  // Reads

  /// Whether there is a version between the observation's bounds that looks like it.
  func explains(_ observation: Observation) -> Bool {
    let last = min(observation.ceiling, lastVersion)
    guard observation.floor <= last else { return false }
    // A request that lasts through a change of the schema shows the properties that there were when it began.
    let showsOthers = schemaChanges.contains { $0 > observation.floor && $0 <= last }
    let content = showsOthers ? observation.content.withoutNulls : observation.content
    return (observation.floor...last).contains {
      looks(like: content, in: showsOthers ? states[Int($0)].mapValues(\.withoutNulls) : states[Int($0)])
    }
  }

  private func looks(like content: Observation.Content, in state: [Int: Object]) -> Bool {
    switch content {
    case .all(let objects): return sorted(state) { _ in true } == objects
    case .group(let number, let objects): return sorted(state) { $0["group"] == .integer(number) } == objects
    case .object(let id, let object): return state[id] == object
    case .presence(let id): return state[id] != nil
    case .replica(let group, let objects):
      return sorted(state) { group == nil || $0["group"] == .integer(group!) }.map(\.withoutNulls)
        == objects.map(\.withoutNulls)
    case .results(let group, let limit, let objects):
      let all = state.sorted { Self.order($0, $1) }.map(\.value)
        .filter { group == nil || $0["group"] == .integer(group!) }
      return all.prefix(limit).map(\.withoutNulls) == objects.map(\.withoutNulls)
    }
  }

  /// Whether an object comes first by `n`, from the largest, and then by its key.
  private static func order(_ one: (key: Int, value: Object), _ other: (key: Int, value: Object)) -> Bool {
    guard case .integer(let n)? = one.value["n"], case .integer(let m)? = other.value["n"], n != m else {
      return one.key < other.key
    }
    return n > m
  }

  private func sorted(_ state: [Int: Object], _ isWanted: (Object) -> Bool) -> [Object] {
    state.sorted { $0.key < $1.key }.map(\.value).filter(isWanted)
  }
}

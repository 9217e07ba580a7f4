import GatehouseBSON
import GatehouseModel
import GatehouseStorage

@testable import GatehouseAudit

/// A trail told by hand, with a clock that ticks a second for everything that happens.
struct AuditScenario {
  static let schema = try! Schema(
    notation: Value(
      json: #"""
        [{"name":"Person","primaryKey":"_id","properties":{"_id":"int","name":"string","dog":"Dog",
          "friends":"Person[]","pets":"Dog{}","home":"Home","keyless":"Keyless"}},
         {"name":"Dog","primaryKey":"_id","properties":{"_id":"int","name":"string","owner":"Person"}},
         {"name":"Home","embedded":true,"properties":{"city":"string"}},
         {"name":"Keyless","properties":{"n":"int"}}]
        """#))

  var trail = Trail { preconditionFailure("a short scenario needs no file") }
  private var now: Int64 = 0
  private(set) var version: Int64 = 1

  /// The object as a reader of the store gives it.
  static func object(_ name: String, _ key: Int64, _ values: [(String, Mixed)] = []) -> Observation.Object {
    let type = schema[name]!
    let entries = type.properties.map { property in
      let value = values.first { $0.0 == property.name }?.1 ?? property.type.blank(key)
      return Mixed.Entry(key: property.storedName, value: property.name == "_id" ? .int(key) : value)
    }
    return Observation.Object(objectType: name, key: ObjectKey(key), image: .dictionary(entries))
  }

  private mutating func tick() -> Date {
    now += 1
    return Date(seconds: now)
  }

  mutating func query(_ objects: Observation.Object...) throws {
    try see(objects.map { Observation.Read(object: $0) }, as: .query)
  }

  mutating func read(_ object: Observation.Object) throws {
    try see([Observation.Read(object: object)], as: .objects)
  }

  /// Reads an object by a link of another one.
  mutating func follow(
    _ property: String, of owner: Observation.Object, to target: Observation.Object,
    all targets: [Observation.Object?]? = nil, form: Observation.Link.Form = .single
  ) throws {
    let link = Observation.Link(
      objectType: owner.objectType, key: owner.key, property: property, form: form,
      targetType: target.objectType, targets: targets ?? [target])
    try see([Observation.Read(object: target, link: link)], as: .objects)
  }

  private mutating func see(_ reads: [Observation.Read], as kind: ReadKind) throws {
    let observation = Observation(version: version, schema: AuditScenario.schema, reads: reads)
    try trail.add(observation, version: version, as: kind, at: tick()) { _ in true }
  }

  /// A transaction, of which only the text matters here.
  mutating func write(_ text: String = "{}") throws {
    try trail.add(write: Array(text.utf8), at: tick())
    version += 1
  }

  /// A transaction without changes, or somebody else's.
  mutating func pass() { version += 1 }

  /// Second, kind and data of each event.
  func told(limit: Int = 1 << 20) throws -> [String] {
    let folded = FoldedTrail(trail)
    var progress = FoldedTrail.Progress()
    var told: [String] = []
    while let event = try folded.next(&progress, limit: limit) {
      told.append("\(event.time.seconds) \(event.kind) \(String(decoding: event.text, as: UTF8.self))")
    }
    return told
  }
}

extension PropertyType {
  fileprivate func blank(_ key: Int64) -> Mixed {
    switch self {
    case .one(.string, _): .string("n\(key)")
    case .list, .set: .list([])
    case .map: .dictionary([])
    default: .null
    }
  }
}

import GatehouseBSON

@testable import GatehouseAPI

/// A client's copy of the objects that a stream of changes tells of, by class and identifier.
struct StreamReplica {
  /// An event that a client would not understand.
  enum Mismatch: Error, CustomStringConvertible {
    case alreadyThere(StreamEvent)
    case notThere(StreamEvent)
    case unknown(Value)

    var description: String {
      switch self {
      case .alreadyThere(let event): "inserted twice: \(event)"
      case .notThere(let event): "not there: \(event)"
      case .unknown(let change): "an update of something that is not there: \(change.text)"
      }
    }
  }

  private(set) var objects: [String: Value] = [:]

  /// Takes over what a read shows.
  init(_ objectType: String, _ read: [Value]) {
    for object in read {
      objects[StreamReplica.name(objectType, object["id"] ?? .null)] = object.withSortedSets
    }
  }

  init(_ parts: [StreamReplica]) {
    for part in parts { objects.merge(part.objects) { $1 } }
  }

  /// Says in which objects it differs from another one; nil: in none.
  func difference(from fresh: [String: Value]) -> String? {
    if objects == fresh { return nil }
    let names = Set(objects.keys).union(fresh.keys).filter { objects[$0] != fresh[$0] }
    return names.sorted().map {
      "\n\($0): has \(objects[$0]?.text ?? "nothing")\n  should have \(fresh[$0]?.text ?? "nothing")"
    }.joined()
  }

  static func name(_ objectType: String, _ id: Value) -> String { "\(objectType) \(id.text)" }

  /// Applies an event. Throws ``Mismatch`` where it tells of something that is not as it says, unless the client comes back.
  mutating func apply(_ event: StreamEvent, comesBack: Bool = false) throws {
    guard let data = event.data, event.id != nil else { return }
    let value = try Value(json: data)
    guard case .string(let objectType)? = value["class"], let id = value["id"] else { return }
    let name = StreamReplica.name(objectType, id)
    let isThere = objects[name] != nil
    if !comesBack {
      if event.name == "insert", isThere { throw Mismatch.alreadyThere(event) }
      if event.name != "insert", !isThere { throw Mismatch.notThere(event) }
    }
    objects[name] = event.name == "delete" ? nil : value["object"]?.withSortedSets
  }

  /// Applies a change of the log. Changes of an object that is not there are of one that came and went before.
  mutating func apply(change: Value) throws {
    guard case .string(let objectType)? = change["class"], let id = change["id"],
      case .string(let operation)? = change["operation"]
    else { return }
    let name = StreamReplica.name(objectType, id)
    switch operation {
    case "insert": objects[name] = change["after"]?.withSortedSets
    case "delete": objects[name] = nil
    default:
      guard let object = objects[name] else { throw Mismatch.unknown(change) }
      objects[name] = object.replacing(change["after"] ?? .null).withSortedSets
    }
  }
}

extension Value {
  /// The document with the members of another one in the place of its own.
  fileprivate func replacing(_ changed: Value) -> Value {
    guard case .document(let document) = self else { return self }
    return .document(
      Document(
        document.elements.map { Document.Element(key: $0.key, value: changed[$0.key] ?? $0.value) }))
  }

  subscript(name: String) -> Value? {
    if case .document(let document) = self { document[name] } else { nil }
  }

  /// The elements; of anything else none.
  var elements: [Value] {
    if case .array(let values) = self { values } else { [] }
  }

  /// The value as JSON.
  var text: String {
    var json = PlainJSONWriter(appendingTo: [])
    json.value(self)
    return String(decoding: json.finish(), as: UTF8.self)
  }

  /// With the elements of the sets of mixed values in the order of their texts.
  var withSortedSets: Value {
    switch self {
    case .array(let values): return .array(values.map(\.withSortedSets))
    case .document(let document):
      return .document(
        Document(
          document.elements.map { element in
            let value = element.value.withSortedSets
            guard element.key == "bag" else { return Document.Element(key: element.key, value: value) }
            return Document.Element(
              key: "bag", value: .array(value.elements.sorted { "\($0)" < "\($1)" }))
          }))
    default: return self
    }
  }
}

/// A client's copy of what is at a path.
struct PlaceReplica {
  private(set) var value: Value?

  mutating func apply(_ event: StreamEvent) throws {
    guard let data = event.data, event.id != nil else { return }
    let update = try Value(json: data)
    switch event.name {
    case "delete": value = nil
    case "update" where update["deletions"] != nil: apply(update)
    case "initial", "insert", "update": value = update["value"]
    default: break
    }
  }

  private mutating func apply(_ update: Value) {
    switch value {
    case .array(var elements):
      for index in update.indices("deletions").reversed() { elements.remove(at: index) }
      for (index, element) in zip(update.indices("insertions"), update["inserted"]?.elements ?? []) {
        elements.insert(element, at: index)
      }
      for (index, element) in zip(update.indices("modificationsNew"), update["modified"]?.elements ?? []) {
        elements[index] = element
      }
      value = .array(elements)
    case .document(let document):
      var entries = Dictionary(document.elements.map { ($0.key, $0.value) }) { $1 }
      for case .string(let key) in update["deletions"]?.elements ?? [] { entries[key] = nil }
      if case .document(let values)? = update["values"] {
        for element in values.elements { entries[element.key] = element.value }
      }
      value = .document(
        Document(entries.sorted { $0.key < $1.key }.map { Document.Element(key: $0.key, value: $0.value) }))
    default: break
    }
  }
}

extension Value {
  fileprivate func indices(_ name: String) -> [Int] {
    (self[name]?.elements ?? []).compactMap(\.integer).map(Int.init)
  }

  var integer: Int64? {
    switch self {
    case .int32(let number): Int64(number)
    case .int64(let number): number
    default: nil
    }
  }
}

import BSON
import Conformance
import Model
import Query

/// A dataset in memory, for the evaluator.
final class ObjectGraph: Sendable {
  let schema: Schema
  let records: [String: [ObjectKey: [Stored]]]
  let keys: [String: [ObjectKey]]

  enum Stored: Sendable {
    case one(Mixed)
    case elements([Mixed])
    case map([Mixed.Entry])
  }

  init(_ dataset: Dataset) {
    schema = dataset.schema
    let schema = dataset.schema
    records = dataset.objects.reduce(into: [:]) { records, entry in
      let type = schema[entry.key]
      for object in entry.value {
        records[entry.key, default: [:]][object.key] = zip(type?.properties ?? [], object.values).map {
          Stored($1, $0.type)
        }
      }
    }
    keys = dataset.objects.mapValues { $0.map(\.key).sorted() }
  }

  func objects(_ objectType: String) -> [MemoryObject] {
    (keys[objectType] ?? []).map { MemoryObject(graph: self, objectType: objectType, key: $0) }
  }
}

extension ObjectGraph.Stored {
  init(_ value: Value, _ type: PropertyType) {
    switch type {
    case .one(let element, _): self = .one(value.mixed(element))
    case .list(let element, _): self = .elements(value.items.map { $0.mixed(element) })
    case .set(let element, _):
      self = .elements(value.items.map { $0.mixed(element) }.sorted { MixedOrder.compare($0, $1) < 0 })
    case .map(let element, _):
      self = .map(
        value.entries.map { Mixed.Entry(key: $0.key, value: $0.value.mixed(element)) }
          .sorted { $0.key.compareBytes($1.key) < 0 })
    case .linkingObjects: self = .elements([])
    }
  }

  var values: [Mixed] {
    switch self {
    case .one(let value): [value]
    case .elements(let elements): elements
    case .map(let entries): entries.map(\.value)
    }
  }
}

extension Value {
  fileprivate var items: [Value] { if case .array(let array) = self { array } else { [] } }
  fileprivate var entries: [Document.Element] {
    if case .document(let document) = self { document.elements } else { [] }
  }
}

struct MemoryObject: ObjectView {
  let graph: ObjectGraph
  let objectType: String
  let key: ObjectKey

  private var record: [ObjectGraph.Stored] { graph.records[objectType]?[key] ?? [] }

  func value(_ property: Int) -> Mixed { record[property].values.first ?? .null }

  func elements(_ property: Int) -> [Mixed] { record[property].values }

  func keys(_ property: Int) -> [String] {
    if case .map(let entries) = record[property] { entries.map(\.key) } else { [] }
  }

  func object(_ link: ObjectLink) -> MemoryObject? {
    graph.records[link.objectType]?[link.key] == nil
      ? nil : MemoryObject(graph: graph, objectType: link.objectType, key: link.key)
  }

  func linkingObjects(_ objectType: String, _ property: Int) -> [MemoryObject] {
    let link = Mixed.link(ObjectLink(objectType: self.objectType, key: key))
    return graph.objects(objectType).flatMap { object in
      object.elements(property).filter { $0 == link }.map { _ in object }
    }
  }

  func value(named name: String) -> Mixed? {
    guard let index = graph.schema[objectType]?.index(of: name) else { return nil }
    switch record[index] {
    case .one(let value): return value
    case .elements(let elements): return .list(elements)
    case .map(let entries): return .dictionary(entries)
    }
  }

  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? {
    let objects = graph.objects(objectType)
    let primary = graph.schema[objectType]?.primaryKeyIndex
    let match = objects.first { object in
      MixedOrder.isEqual(primary.map { object.value($0) } ?? .int(object.key.value), primaryKey)
    }
    return match.map { ObjectLink(objectType: objectType, key: $0.key) }
  }
}

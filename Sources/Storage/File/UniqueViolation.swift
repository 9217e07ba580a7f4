public import GatehouseModel
import GatehouseQuery

/// Values that must be unique, and that another object has already.
public struct UniqueViolation: Hashable, Sendable {
  public let objectType: String
  /// The properties that are unique together, without those that the caller does not see.
  public let properties: [String]
  /// Their values, links as primary keys; empty where the caller may not know them all.
  public let values: [Mixed]

  public init(objectType: String, properties: [String], values: [Mixed]) {
    self.objectType = objectType
    self.properties = properties
    self.values = values
  }

  /// Returns what may be said of it to somebody: no hidden property, and no values that others wrote and they may not know.
  func seen(under visibility: Visibility?, in schema: Schema) -> UniqueViolation {
    guard let visibility, let type = schema[objectType] else { return self }
    let hidden = visibility.hidden[objectType] ?? []
    let shown = properties.filter { name in type.index(of: name).map { !hidden.contains($0) } ?? false }
    let isKnown = shown.count == properties.count && shown.allSatisfy { type[$0]?.type.linkTarget == nil }
    return UniqueViolation(objectType: objectType, properties: shown, values: isKnown ? values : [])
  }
}

import GatehouseModel

/// Properties of an object whose changes count, and of a document's fields those that do.
struct CountedProperties: Hashable {
  private var positions: Set<Int> = []
  /// The fields of a document that count where the property does that holds them; nil: all.
  private var fields: Set<ExactText>?

  /// Counts changes of a property; of one that holds the fields of a document only those of one `field`, if there is one.
  mutating func insert(_ property: Int, field: ExactText? = nil) {
    let isNew = positions.insert(property).inserted
    guard let field else {
      if fields != nil { fields = nil }
      return
    }
    if isNew { fields = [field] } else { fields?.insert(field) }
  }

  /// Whether a change of a property counts. Where the property holds the fields of a document, `changedFields` says which of them
  /// have changed; nil: it does not.
  func contains(_ property: Int, changedFields: () -> [String]?) -> Bool {
    guard positions.contains(property) else { return false }
    guard let fields, let changed = changedFields() else { return true }
    return changed.contains { fields.contains(ExactText($0)) }
  }
}

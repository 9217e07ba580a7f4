import GatehouseModel

/// A property that holds embedded objects: it may be seen what is in them where the object with the property may be.
package struct EmbeddingProperty: Hashable, Sendable {
  package let objectType: String
  package let property: Int
}

extension Schema {
  /// Returns the properties that may be seen of each embedded class of which some objects may not: one that is held by a
  /// restricted class, in a hidden property, or by another such class.
  func holders(
    concealing restricted: Set<String>, _ hidden: [String: Set<Int>]
  ) -> [String: [EmbeddingProperty]] {
    var holders: [String: [EmbeddingProperty]] = [:]
    var concealing = restricted
    var held: [(embedded: String, by: String)] = []
    for type in objectTypes {
      for (index, property) in type.properties.enumerated() {
        guard let target = property.type.linkTarget, self[target]?.isEmbedded == true else { continue }
        held.append((target, type.name))
        if hidden[type.name]?.contains(index) == true {
          concealing.insert(target)
        } else {
          holders[target, default: []].append(EmbeddingProperty(objectType: type.name, property: index))
        }
      }
    }
    var count = -1
    while count != concealing.count {
      count = concealing.count
      for (embedded, holder) in held where concealing.contains(holder) { concealing.insert(embedded) }
    }
    return Dictionary(
      uniqueKeysWithValues: concealing.subtracting(restricted).map { ($0, holders[$0] ?? []) })
  }
}

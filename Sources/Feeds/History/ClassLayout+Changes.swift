import GatehouseStorage

extension ClassLayout {
  /// The properties that an update changed.
  func changedProperties(of change: LoggedChange) -> [Int] {
    var changed: [Int] = []
    forEachProperty(of: change.after) { property, _ in changed.append(property) }
    return changed + change.elements.compactMap { property(storedAs: $0.property, hint: 0) }
  }
}

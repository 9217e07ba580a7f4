public import GatehouseModel

extension [LoggedChange] {
  /// Returns the objects that the changes show: for each version the objects as they were before it, then as they are
  /// after it, as far as the log has them.
  public func observations(in schema: Schema) -> [Observation] {
    var observations: [Observation] = []
    for changes in split(by: \.position.version) {
      let version = changes[changes.startIndex].position.version
      for (version, image) in [(version - 1, \LoggedChange.shownBefore), (version, \.shownAfter)] {
        let reads = changes.compactMap { change in
          change[keyPath: image].map {
            Observation.Read(
              object: Observation.Object(objectType: change.objectType, key: change.key, image: $0))
          }
        }
        guard !reads.isEmpty else { continue }
        observations.append(Observation(version: version, schema: schema, reads: reads))
      }
    }
    return observations
  }

  /// Runs that have the same value.
  private func split<Value: Equatable>(by value: (LoggedChange) -> Value) -> [ArraySlice<LoggedChange>] {
    var runs: [ArraySlice<LoggedChange>] = []
    var start = startIndex
    for index in indices where index + 1 == endIndex || value(self[index]) != value(self[index + 1]) {
      runs.append(self[start...index])
      start = index + 1
    }
    return runs
  }
}

extension LoggedChange {
  fileprivate var shownBefore: Mixed? { shown(before, \.before) }
  fileprivate var shownAfter: Mixed? { shown(after, \.after) }

  /// The image; of collections that changed in some elements those that are shown.
  private func shown(_ image: Mixed?, _ value: (ElementChange) -> Mixed?) -> Mixed? {
    guard operation != .schema else { return nil }
    var entries: [Mixed.Entry] = []
    if case .dictionary(let found)? = image { entries = found }
    for collection in elements {
      let shown = collection.elements.compactMap { element in value(element).map { (element.place, $0) } }
      guard !shown.isEmpty else { continue }
      entries.append(Mixed.Entry(key: collection.property, value: Mixed(shown)))
    }
    return entries.isEmpty ? nil : .dictionary(entries)
  }
}

extension Mixed {
  /// A map of those entries, or a list of those elements.
  fileprivate init(_ elements: [(ElementChange.Place, Mixed)]) {
    let entries = elements.compactMap { place, value -> Mixed.Entry? in
      if case .key(let key) = place { Mixed.Entry(key: key, value: value) } else { nil }
    }
    self =
      entries.isEmpty
      ? .list(elements.map(\.1)) : .dictionary(entries.sorted { $0.key.compareBytes($1.key) < 0 })
  }
}

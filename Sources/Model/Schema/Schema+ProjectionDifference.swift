extension ObjectType {
  /// Returns the changes that turn the class' projections into those of `new`.
  func projectionChanges(to new: ObjectType) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    for projection in new.projections {
      guard let old = projections.first(where: { $0.name == projection.name }) else {
        changes.append(.projectionAdded(objectType: name, projection: projection.name))
        continue
      }
      if old != projection {
        changes.append(.projectionChanged(objectType: name, projection: projection.name))
      }
    }
    for old in projections where !new.projections.contains(where: { $0.name == old.name }) {
      changes.append(.projectionRemoved(objectType: name, projection: old.name))
    }
    if changes.isEmpty, projections != new.projections, let first = new.projections.first {
      changes.append(.projectionChanged(objectType: name, projection: first.name))
    }
    return changes
  }
}

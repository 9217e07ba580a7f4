extension Schema {
  /// Returns the changes that turn this schema into `new`; how defaults are spelt does not count. Both are valid.
  public func difference(to new: Schema) -> SchemaDifference {
    var changes: [SchemaChange] = []
    for objectType in new.objectTypes {
      if let old = self[objectType.name] {
        changes += old.changes(to: objectType, from: self, to: new)
      } else {
        changes.append(.classAdded(objectType))
      }
    }
    for objectType in objectTypes where new[objectType.name] == nil {
      changes.append(.classRemoved(objectType))
    }
    let kept = objectTypes.map(\.name).filter { new[$0] != nil }
    if kept != new.objectTypes.map(\.name).filter({ self[$0] != nil }) { changes.append(.classesReordered) }
    return SchemaDifference(changes: changes)
  }
}

extension ObjectType {
  func changes(to new: ObjectType, from oldSchema: Schema, to newSchema: Schema) -> [SchemaChange] {
    if self == new { return [] }
    var changes: [SchemaChange] = []
    if isEmbedded != new.isEmbedded {
      changes.append(.embeddedChanged(objectType: name, isEmbedded: new.isEmbedded))
    }
    if isAsymmetric != new.isAsymmetric {
      changes.append(.asymmetricChanged(objectType: name, isAsymmetric: new.isAsymmetric))
    }
    let pairs = pairs(with: new)
    let hasSamePrimaryKey =
      switch (primaryKeyIndex, new.primaryKeyIndex) {
      case (nil, nil): true
      case (let old?, let new?): pairs[new] == old
      default: false
      }
    if !hasSamePrimaryKey {
      changes.append(
        .primaryKeyChanged(objectType: name, from: primaryKey?.name, to: new.primaryKey?.name))
    }
    for (index, property) in new.properties.enumerated() {
      if let old = pairs[index] {
        changes += properties[old].changes(to: property, of: name, from: oldSchema, to: newSchema)
      } else {
        changes.append(.propertyAdded(objectType: name, property))
      }
    }
    let kept = pairs.compactMap(\.self)
    for (index, property) in properties.enumerated() where !kept.contains(index) {
      changes.append(.propertyRemoved(objectType: name, property))
    }
    changes += projectionChanges(to: new)
    changes += indexChanges(to: new, pairs)
    changes += UniqueKeyDifference(from: self, to: new, successors: successors(pairs)).changes
    let (before, after) = (constraints.checks, new.constraints.checks)
    changes += after.filter { !before.contains($0) }.map { .checkAdded(objectType: name, $0) }
    changes += before.filter { !after.contains($0) }.map { .checkRemoved(objectType: name, $0) }
    if kept != kept.sorted() { changes.append(.propertiesReordered(objectType: name)) }
    return changes
  }

  /// An index is the same one if its keys are, whatever their properties are called now.
  private func indexChanges(to new: ObjectType, _ pairs: [Int?]) -> [SchemaChange] {
    let successors = successors(pairs)
    let kept = indexes.map { index -> Index? in
      let keys = index.keys.compactMap { key in
        successors[key.property].map {
          Index.Key(property: $0, isAscending: key.isAscending, isFolded: key.isFolded)
        }
      }
      return keys.count == index.keys.count ? Index(keys) : nil
    }
    let added = new.indexes.filter { !kept.contains($0) }
      .map { SchemaChange.indexAdded(objectType: name, keys: new.words(of: $0)) }
    let removed = zip(indexes, kept).filter { _, kept in kept.map { !new.indexes.contains($0) } ?? true }
      .map { SchemaChange.indexRemoved(objectType: name, keys: words(of: $0.0)) }
    return added + removed
  }

  /// For each property that stays, where it is in the new class.
  private func successors(_ pairs: [Int?]) -> [Int: Int] {
    Dictionary(
      pairs.enumerated().compactMap { next, old in old.map { ($0, next) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// For each property of `new` the one that it was: the one stored under its name, or else one that
  /// clients know by that name.
  private func pairs(with new: ObjectType) -> [Int?] {
    var pairs: [Int?] = new.properties.map { property in
      properties.firstIndex { $0.storedName == property.storedName }
    }
    for (index, property) in new.properties.enumerated() where pairs[index] == nil {
      if let old = self.index(of: property.name), !pairs.contains(old) { pairs[index] = old }
    }
    return pairs
  }
}

extension Property {
  /// Returns the changes between two properties that hold the same data.
  fileprivate func changes(
    to new: Property, of objectType: String, from oldSchema: Schema, to newSchema: Schema
  ) -> [SchemaChange] {
    var changes: [SchemaChange] = []
    if name != new.name {
      changes.append(
        .propertyRenamed(objectType: objectType, from: name, to: new.name, storedName: storedName))
    } else if storedName != new.storedName {
      changes.append(
        .storedNameChanged(
          objectType: objectType, property: name, from: storedName, to: new.storedName))
    }
    if let isOptional = type.nullability(as: new.type) {
      changes.append(.optionalChanged(objectType: objectType, property: new.name, isOptional: isOptional))
    } else if type != new.type {
      changes.append(
        .propertyRetyped(objectType: objectType, property: new.name, from: type, to: new.type))
    }
    if index != new.index {
      changes.append(
        .indexChanged(objectType: objectType, property: new.name, from: index, to: new.index))
    }
    if ruled != new.ruled {
      changes.append(.constraintsChanged(objectType: objectType, property: new.name))
    }
    if generatedDefault != new.generatedDefault
      || draftOfDefault(in: oldSchema) != new.draftOfDefault(in: newSchema)
    {
      changes.append(.defaultChanged(objectType: objectType, property: new.name))
    }
    return changes
  }

  /// The rules for single values, without those that are told otherwise.
  private var ruled: Constraints {
    var constraints = constraints ?? Constraints()
    constraints.isUnique = false
    return constraints
  }

  /// The default as it would be stored: `1` and `{"$numberInt": "1"}` are one.
  private func draftOfDefault(in schema: Schema) -> DraftValue? {
    guard let defaultValue else { return nil }
    var reader = InputReader(schema: schema)
    return reader.value(defaultValue, as: type, depth: 1)
  }
}

extension PropertyType {
  /// The new nullability where that is all that differs.
  fileprivate func nullability(as new: PropertyType) -> Bool? {
    guard let old = stored, let new = new.stored, old.container == new.container,
      old.element == new.element, old.optional != new.optional
    else { return nil }
    return new.optional
  }
}

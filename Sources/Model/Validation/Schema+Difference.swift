extension Schema {
  /// Returns the changes that turn this schema into `new`; how defaults are spelt does not count. Both are valid.
  public func difference(to new: Schema) -> SchemaDifference {
    var changes: [SchemaChange] = []
    for objectType in new.objectTypes {
      if let old = self[objectType.name] {
        changes += ClassDifference(from: old, in: self, to: objectType, in: new).changes
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

/// Finds what distinguishes two versions of a class.
private struct ClassDifference {
  let old: ObjectType
  let new: ObjectType
  let oldSchema: Schema
  let newSchema: Schema
  /// For each property of the new class the one that it was.
  private let pairs: [Int?]

  init(from old: ObjectType, in oldSchema: Schema, to new: ObjectType, in newSchema: Schema) {
    (self.old, self.new) = (old, new)
    (self.oldSchema, self.newSchema) = (oldSchema, newSchema)
    pairs = Self.pairs(of: old, with: new)
  }

  var changes: [SchemaChange] {
    if old == new { return [] }
    var changes: [SchemaChange] = []
    if old.isEmbedded != new.isEmbedded {
      changes.append(.embeddedChanged(objectType: old.name, isEmbedded: new.isEmbedded))
    }
    if old.isAsymmetric != new.isAsymmetric {
      changes.append(.asymmetricChanged(objectType: old.name, isAsymmetric: new.isAsymmetric))
    }
    let hasSamePrimaryKey =
      switch (old.primaryKeyIndex, new.primaryKeyIndex) {
      case (nil, nil): true
      case (let old?, let new?): pairs[new] == old
      default: false
      }
    if !hasSamePrimaryKey {
      changes.append(
        .primaryKeyChanged(objectType: old.name, from: old.primaryKey?.name, to: new.primaryKey?.name))
    }
    for (index, property) in new.properties.enumerated() {
      if let pair = pairs[index] {
        changes += old.properties[pair].changes(to: property, of: old.name, from: oldSchema, to: newSchema)
      } else {
        changes.append(.propertyAdded(objectType: old.name, property))
      }
    }
    let kept = pairs.compactMap(\.self)
    precondition(Set(kept).count == kept.count, "a property becomes one property: \(old.name)")
    for (index, property) in old.properties.enumerated() where !kept.contains(index) {
      changes.append(.propertyRemoved(objectType: old.name, property))
    }
    changes += old.projectionChanges(to: new)
    changes += indexChanges
    changes += UniqueKeyDifference(from: old, to: new, successors: successors).changes
    let (before, after) = (old.constraints.checks, new.constraints.checks)
    changes += after.filter { !before.contains($0) }.map { .checkAdded(objectType: old.name, $0) }
    changes += before.filter { !after.contains($0) }.map { .checkRemoved(objectType: old.name, $0) }
    if kept != kept.sorted() { changes.append(.propertiesReordered(objectType: old.name)) }
    return changes
  }

  /// An index is the same one if its keys are, whatever their properties are called now.
  private var indexChanges: [SchemaChange] {
    let successors = successors
    let kept = old.indexes.map { index -> ObjectType.Index? in
      let keys = index.keys.compactMap { key in
        successors[key.property].map {
          ObjectType.Index.Key(
            property: $0, isAscending: key.isAscending, isFolded: key.isFolded, path: key.path)
        }
      }
      return keys.count == index.keys.count ? ObjectType.Index(keys) : nil
    }
    let added = new.indexes.filter { !kept.contains($0) }
      .map { SchemaChange.indexAdded(objectType: old.name, keys: new.words(of: $0)) }
    let removed = zip(old.indexes, kept).filter { _, kept in kept.map { !new.indexes.contains($0) } ?? true }
      .map { SchemaChange.indexRemoved(objectType: old.name, keys: old.words(of: $0.0)) }
    return added + removed
  }

  /// For each property that stays, where it is in the new class.
  private var successors: [Int: Int] {
    Dictionary(
      pairs.enumerated().compactMap { next, old in old.map { ($0, next) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// For each property of `new` the one that it was: the one stored under its name, or else one that
  /// clients know by that name.
  private static func pairs(of old: ObjectType, with new: ObjectType) -> [Int?] {
    var pairs: [Int?] = new.properties.map { property in
      old.properties.firstIndex { $0.storedName == property.storedName }
    }
    for (index, property) in new.properties.enumerated() where pairs[index] == nil {
      if let former = old.index(of: property.name), !pairs.contains(former) { pairs[index] = former }
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

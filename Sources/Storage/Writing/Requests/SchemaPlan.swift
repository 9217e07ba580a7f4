public import GatehouseModel

/// A change of the schema that somebody asks for.
struct SchemaPlan: Sendable {
  let schema: Schema
  let isDestructive: Bool
  let renames: [PropertyRename]
  /// The generation of the schema that it was made from; nil: no matter.
  let generation: Int64?
  /// Whether append-only classes may change.
  var isPrivileged = false
  /// Makes operations that are committed with the change.
  var hook: CommitHook?

  /// Returns the plan with the append-only classes as they are, where it does not name them; throws
  /// ``StorageError/appendOnlyClass(_:)`` where it would make other ones of them.
  func keeping(_ appendOnly: Set<String>, of present: Schema) throws(StorageError) -> SchemaPlan {
    guard !isPrivileged, !appendOnly.isEmpty else { return self }
    for type in schema.objectTypes where appendOnly.contains(type.name) && present[type.name] != type {
      throw .appendOnlyClass(type.name)
    }
    for rename in renames where appendOnly.contains(rename.objectType) {
      throw .appendOnlyClass(rename.objectType)
    }
    let kept = present.objectTypes.filter { appendOnly.contains($0.name) && schema[$0.name] == nil }
    guard !kept.isEmpty else { return self }
    var plan = SchemaPlan(
      schema: Schema(schema.objectTypes + kept), isDestructive: isDestructive, renames: renames,
      generation: generation)
    plan.hook = hook
    return plan
  }

  /// Returns the catalog with the renamed properties under their new names, in the places that they have.
  func renamed(_ catalog: Catalog) throws(StorageError) -> Catalog {
    var tables = catalog.tables
    for rename in renames {
      guard let index = tables.firstIndex(where: { $0.objectType.name == rename.objectType }),
        rename.isPossible(from: catalog.schema, to: schema)
      else { throw .invalidRename(rename) }
      tables[index] = tables[index].renaming(rename)
    }
    return Catalog(generation: catalog.generation, tables: tables)
  }
}

extension TableLayout {
  /// Returns the same tables and columns for a class with one property under another name.
  fileprivate func renaming(_ rename: PropertyRename) -> TableLayout {
    let type = objectType.renaming(rename)
    return TableLayout(
      objectType: type, name: name,
      properties: zip(type.properties, properties).map { PropertyLayout(property: $0, name: $1.name) },
      shapeVersion: shapeVersion)
  }
}

extension PropertyRename {
  /// Whether the property is there before and not after, and its new name the other way round.
  fileprivate func isPossible(from old: Schema, to new: Schema) -> Bool {
    guard let old = old[objectType], let new = new[objectType] else { return false }
    return old[from] != nil && old[to] == nil && new[to] != nil && new[from] == nil
  }
}

extension Schema {
  /// Returns the changes that make another schema of this one where properties keep their data under other names; throws
  /// ``StorageError/invalidRename(_:)`` as applying it does.
  public func difference(
    to new: Schema, renaming renames: [PropertyRename]
  ) throws(StorageError) -> [SchemaChange] {
    var renamed = self
    for rename in renames {
      guard rename.isPossible(from: self, to: new) else { throw .invalidRename(rename) }
      renamed = renamed.renaming(rename)
    }
    let renamings = renames.map { rename in
      SchemaChange.propertyRenamed(
        objectType: rename.objectType, from: rename.from, to: rename.to,
        storedName: self[rename.objectType]?[rename.from]?.storedName ?? rename.from)
    }
    return renamings + renamed.difference(to: new).changes
  }
}

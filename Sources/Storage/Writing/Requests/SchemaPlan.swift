public import GatehouseModel

/// A change of the schema that somebody asks for.
struct SchemaPlan: Sendable {
  let schema: Schema
  let isDestructive: Bool
  let renames: SchemaRenames
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
    let renamed = renames.properties.map(\.objectType) + renames.classes.map(\.from)
    if let name = renamed.first(where: appendOnly.contains) { throw .appendOnlyClass(name) }
    let kept = present.objectTypes.filter { appendOnly.contains($0.name) && schema[$0.name] == nil }
    guard !kept.isEmpty else { return self }
    var plan = SchemaPlan(
      schema: Schema(schema.objectTypes + kept), isDestructive: isDestructive, renames: renames,
      generation: generation)
    plan.hook = hook
    return plan
  }

  /// Returns the catalog with the renamed classes and properties under their new names, in the places that they have.
  func renamed(_ catalog: Catalog) throws(StorageError) -> Catalog {
    var tables = catalog.tables
    let old = try renames.classes.renaming(catalog.schema, to: schema)
    for rename in renames.classes { tables = tables.map { $0.renaming(rename) } }
    for rename in renames.properties {
      guard let index = tables.firstIndex(where: { $0.objectType.name == rename.objectType }),
        rename.isPossible(from: old, to: schema)
      else { throw .invalidRename(rename) }
      tables[index] = tables[index].renaming(rename)
    }
    return Catalog(generation: catalog.generation, tables: tables)
  }
}

extension [ClassRename] {
  /// Returns a schema with the classes under their new names, which is to become another one.
  fileprivate func renaming(_ old: Schema, to new: Schema) throws(StorageError) -> Schema {
    var old = old
    for rename in self {
      guard rename.isPossible(from: old, to: new) else { throw .invalidClassRename(rename) }
      old = old.renaming(rename)
    }
    return old
  }
}

extension TableLayout {
  /// Returns the same tables and columns where a class has another name.
  fileprivate func renaming(_ rename: ClassRename) -> TableLayout {
    let type = rename.renamed(objectType)
    return TableLayout(
      objectType: type, name: name,
      properties: zip(type.properties, properties).map { PropertyLayout(property: $0, name: $1.name) },
      shapeVersion: shapeVersion)
  }

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
  /// Returns the changes that make another schema of this one where classes and properties keep their data under other names;
  /// throws ``StorageError/invalidRename(_:)`` or ``StorageError/invalidClassRename(_:)`` as applying it does.
  public func difference(
    to new: Schema, renaming renames: SchemaRenames
  ) throws(StorageError) -> [SchemaChange] {
    let old = try renames.classes.renaming(self, to: new)
    for rename in renames.properties where !rename.isPossible(from: old, to: new) {
      throw .invalidRename(rename)
    }
    let classes = renames.classes.map { SchemaChange.classRenamed(from: $0.from, to: $0.to) }
    let properties = renames.properties.map { rename in
      SchemaChange.propertyRenamed(
        objectType: rename.objectType, from: rename.from, to: rename.to,
        storedName: old[rename.objectType]?[rename.from]?.storedName ?? rename.from)
    }
    return classes + properties + renaming(renames).difference(to: new).changes
  }
}

extension SchemaPlan {
  /// Throws ``StorageError/classOutOfBounds(_:)`` where the plan would make a class that a store may not have.
  func requireClasses(
    beside present: Schema, where isAllowed: (_ name: String) throws(StorageError) -> Bool
  ) throws(StorageError) {
    for name in schema.objectTypes.map(\.name) where present[name] == nil {
      guard try isAllowed(name) else { throw .classOutOfBounds(name) }
    }
  }
}

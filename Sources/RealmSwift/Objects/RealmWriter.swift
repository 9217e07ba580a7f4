import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// Writes objects into a Realm that is in a transaction, those that they link to first.
final class RealmWriter: _RealmWriteContext {
  /// An unmanaged embedded object that was written as a part of another one, with those in it by their properties.
  private struct Embedded {
    let object: ObjectBase
    let children: [(key: Int, objects: [Embedded])]
  }

  /// An object whose row is there, and whose properties that may lead to others are to be written.
  private struct Started {
    let object: ObjectBase
    let managed: ManagedClass
    let layout: ClassLayout
    let row: RowAddress
    /// Whether it was there already.
    let isUpdate: Bool
  }

  let context: RealmContext
  let policy: Realm.UpdatePolicy
  private var added: [ObjectIdentifier: RowAddress] = [:]
  /// The objects that wait, since they were linked to by too many others one after the other.
  private var waiting: [Started] = []
  /// The number of objects that are being written, each linked to by the one before.
  private var depth = 0
  /// The most objects that are written inside of each other: stacks end. Others wait, so that chains may have any length.
  private static let mostDepth = 32
  /// The objects that are being made of values, inside of each other; objects of other Realms among these are copied.
  var creations = 0
  /// The rows that copies of objects of other Realms have.
  private var copied: [CopiedObject: RowAddress] = [:]
  private var embedded: [Embedded] = []

  /// The kind of the collection that is written to; nil: another property is.
  private let collection: String?

  init(_ context: RealmContext, _ policy: Realm.UpdatePolicy, into collection: String? = nil) {
    self.context = context
    self.collection = collection
    self.policy = policy
  }

  override func link(to object: ObjectBase) -> DraftValue {
    if object is RealmSwiftEmbeddedObject { return embeddedDraft(of: object) }
    if creations > 0, let accessor = object.accessor, accessor.context !== context, !accessor.isInvalidated {
      return link(to: create(context.requireClass(of: Swift.type(of: object)), from: object))
    }
    return link(to: add(object))
  }

  /// Returns the link to an object of the Realm.
  func link(to row: RowAddress) -> DraftValue {
    let managed = context.managedClass(at: row.table)
    guard let id = context.live.read({ reader throws(StorageError) in try reader.identifier(of: row) }) else {
      fatalError("Object has been deleted or invalidated.")
    }
    return .link(objectType: managed.schema.className, primaryKey: id)
  }

  // Objects

  /// Adds an object, and those that it leads to; returns where it is. One that is in the Realm stays as it is.
  @discardableResult
  func add(_ object: ObjectBase) -> RowAddress {
    if let row = added[ObjectIdentifier(object)] { return row }
    if let accessor = object.accessor {
      if accessor.isInvalidated {
        fatalError("Adding a deleted or invalidated object to a Realm is not permitted")
      }
      guard accessor.context === context else {
        fatalError(
          "Object is already managed by another Realm. Use create instead to copy it into this Realm.")
      }
      return accessor.row
    }
    let managed = context.requireClass(toWrite: object)
    let layout = managed.layout
    // Where a key must not be taken, the store says so.
    if policy != .error, let primary = layout.fields.firstIndex(where: \.property.isPrimary),
      case .value(let id) = layout.draft(primary, of: object, in: self).value,
      let row = context.find(id, in: managed)
    {
      return update(row, managed, with: object, layout)
    }
    return insert(object, managed, layout)
  }

  private func insert(
    _ object: ObjectBase, _ managed: ManagedClass, _ layout: ClassLayout
  ) -> RowAddress {
    var assignments: [ObjectDraft.Assignment] = []
    assignments.reserveCapacity(layout.plain.count)
    for index in layout.plain {
      assignments.append(
        .init(property: managed.columns[index], value: layout.draft(index, of: object, in: self).value))
    }
    let row = context.create(managed, assignments)
    // Objects that it leads to may lead to it.
    if !layout.later.isEmpty { added[ObjectIdentifier(object)] = row }
    go(on: Started(object: object, managed: managed, layout: layout, row: row, isUpdate: false))
    return row
  }

  private func update(
    _ row: RowAddress, _ managed: ManagedClass, with object: ObjectBase, _ layout: ClassLayout
  ) -> RowAddress {
    added[ObjectIdentifier(object)] = row
    go(on: Started(object: object, managed: managed, layout: layout, row: row, isUpdate: true))
    return row
  }

  /// Writes the properties of an object, or has them wait.
  private func go(on started: Started) {
    if depth >= Self.mostDepth, started.isUpdate || !started.layout.later.isEmpty {
      return waiting.append(started)
    }
    finish(started)
    while depth == 0, let next = waiting.popLast() { finish(next) }
    precondition(depth > 0 || waiting.isEmpty, "all objects have been written that were begun")
  }

  private func finish(_ started: Started) {
    precondition(depth <= Self.mostDepth, "objects that lead to others wait beyond a depth: \(depth)")
    depth += 1
    defer { depth -= 1 }
    let (object, managed, layout, row) = (started.object, started.managed, started.layout, started.row)
    var children: [(key: Int, objects: [Embedded])] = []
    for index in started.isUpdate ? Array(layout.fields.indices) : layout.later {
      let property = layout.fields[index].property
      if property.isPrimary || property.type == .linkingObjects { continue }
      let value = layout.draft(index, of: object, in: self).value
      children.append((index, takeEmbedded()))
      if started.isUpdate {
        write(value, to: index, of: row, managed)
      } else if !value.isEmpty {
        context.change(row, managed.columns[index], by: .assign(value))
      }
    }
    manage(object, children, managed, row)
  }

  /// Writes a property as the policy says.
  func write(_ value: DraftValue, to key: Int, of row: RowAddress, _ managed: ManagedClass) {
    let column = managed.columns[key]
    if policy == .modified, has(value, in: managed.schema.allProperties[key], at: column, of: row) { return }
    context.change(row, column, by: .assign(value))
  }

  /// Whether a property has a value already. Embedded objects are made anew each time.
  private func has(_ value: DraftValue, in property: Property, at column: Int, of row: RowAddress) -> Bool {
    switch value {
    case .value, .link:
      return context.live.values(of: row).map { isSame(value, as: $0[column]) } ?? false
    case .list(let drafts) where property.isCollection:
      let elements = LiveResults(.property(column, of: row), of: nil, in: context.live).all
      return drafts.count == elements.count
        && (property.isSet
          ? drafts.allSatisfy { draft in elements.contains { isSame(draft, as: $0) } }
          : zip(drafts, elements).allSatisfy { isSame($0, as: $1) })
    case .map(let entries) where property.isCollection:
      let keys = context.live.read { reader throws(StorageError) in try reader.keys(column, of: row) }
      let elements = LiveResults(.property(column, of: row), of: nil, in: context.live).all
      return entries.map(\.key) == keys && zip(entries, elements).allSatisfy { isSame($0.value, as: $1) }
    case .list, .map, .embedded: return false
    }
  }

  private func isSame(_ draft: DraftValue, as stored: Mixed) -> Bool {
    switch (draft, stored) {
    case (.value(let value), _): return value == stored
    case (.link(let objectType, let id), .link(let link)):
      guard link.objectType == objectType, let row = context.live.row(of: stored) else { return false }
      return context.live.read { reader throws(StorageError) in try reader.identifier(of: row) } == id
    default: return false
    }
  }

  private func manage(
    _ object: ObjectBase, _ children: [(key: Int, objects: [Embedded])], _ managed: ManagedClass,
    _ row: RowAddress
  ) {
    for (key, objects) in children where !objects.isEmpty {
      bind(objects, to: context.live.linkTargets(of: managed.columns[key], row))
    }
    precondition(
      Swift.type(of: object) == managed.type && row.table == managed.table,
      "an object is managed by its fields, where it was written")
    object.accessor = ObjectAccessor(context, managed, row)
    managed.layout.manageUsed(object)
  }

  // Embedded objects

  private func embeddedDraft(of object: ObjectBase) -> DraftValue {
    if object.accessor != nil {
      fatalError(
        collection.map { "Cannot add an existing managed embedded object to a \($0)." }
          ?? "Cannot set a link to an existing managed embedded object")
    }
    let managed = context.requireClass(toWrite: object)
    let layout = managed.layout
    let siblings = takeEmbedded()
    var assignments: [ObjectDraft.Assignment] = []
    var children: [(key: Int, objects: [Embedded])] = []
    for (index, field) in layout.fields.enumerated() where field.property.type != .linkingObjects {
      let value = layout.draft(index, of: object, in: self).value
      children.append((index, takeEmbedded()))
      assignments.append(.init(property: managed.columns[index], value: value))
    }
    assignments.sort { $0.property < $1.property }
    embedded = siblings + [Embedded(object: object, children: children)]
    return .embedded(ObjectDraft(assignments: assignments))
  }

  // Copies

  /// An object of another Realm that was copied with those that it leads to.
  struct CopiedObject: Hashable {
    let context: ObjectIdentifier
    let row: RowAddress
  }

  /// Notes where the copy of an object is, so that objects that it leads to may lead to it.
  func note(copyOf object: ObjectBase, at row: RowAddress) {
    if let accessor = object.accessor {
      copied[CopiedObject(context: ObjectIdentifier(accessor.context), row: accessor.row)] = row
    }
  }

  /// Returns where the copy of an object is; nil: there is none yet.
  func copy(of object: ObjectBase) -> RowAddress? {
    object.accessor.flatMap {
      copied[CopiedObject(context: ObjectIdentifier($0.context), row: $0.row)]
    }
  }

  /// Whether embedded objects were written that belong to no place yet.
  var hasEmbedded: Bool { !embedded.isEmpty }

  private func takeEmbedded() -> [Embedded] {
    defer { embedded = [] }
    return embedded
  }

  private func bind(_ objects: [Embedded], to rows: [RowAddress]) {
    for (embedded, row) in zip(objects, rows) {
      manage(embedded.object, embedded.children, context.requireClass(toWrite: embedded.object), row)
    }
  }

  /// Makes the embedded objects that were written last those of a property.
  func bindEmbedded(in accessor: ObjectAccessor, at column: Int) {
    let objects = takeEmbedded()
    if !objects.isEmpty { bind(objects, to: context.live.linkTargets(of: column, accessor.row)) }
  }

  /// Makes the embedded objects that were written last those elements of a collection from an index on.
  func bindEmbedded(in place: CollectionPlace, from index: Int) {
    let objects = takeEmbedded()
    if objects.isEmpty { return }
    bind(objects, to: Array(context.live.linkTargets(of: place.column, place.row).dropFirst(index)))
  }
}

extension DraftValue {
  /// Whether it is the value of a new object's property that is given none.
  fileprivate var isEmpty: Bool {
    switch self {
    case .value(.null), .list([]), .map([]): true
    case .value, .link, .embedded, .list, .map: false
    }
  }
}

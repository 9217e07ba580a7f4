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

  let context: RealmContext
  let policy: Realm.UpdatePolicy
  private var added: [ObjectIdentifier: RowAddress] = [:]
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
    let managed = context.requireClass(of: Swift.type(of: object))
    let layout = managed.layout(of: object)
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
    var children: [(key: Int, objects: [Embedded])] = []
    for index in layout.later {
      let value = layout.draft(index, of: object, in: self).value
      children.append((index, takeEmbedded()))
      if !value.isEmpty { context.change(row, managed.columns[index], by: .assign(value)) }
    }
    manage(object, children, managed, row)
    return row
  }

  private func update(
    _ row: RowAddress, _ managed: ManagedClass, with object: ObjectBase, _ layout: ClassLayout
  ) -> RowAddress {
    added[ObjectIdentifier(object)] = row
    var children: [(key: Int, objects: [Embedded])] = []
    for (index, field) in layout.fields.enumerated()
    where !field.property.isPrimary && field.property.type != .linkingObjects {
      let value = layout.draft(index, of: object, in: self).value
      children.append((index, takeEmbedded()))
      write(value, to: index, of: row, managed)
    }
    manage(object, children, managed, row)
    return row
  }

  /// Writes a property as the policy says.
  func write(_ value: DraftValue, to key: Int, of row: RowAddress, _ managed: ManagedClass) {
    let column = managed.columns[key]
    if policy == .modified, case .value(let new) = value, !managed.schema.allProperties[key].isCollection,
      context.live.values(of: row)?[column] == new
    {
      return
    }
    context.change(row, column, by: .assign(value))
  }

  private func manage(
    _ object: ObjectBase, _ children: [(key: Int, objects: [Embedded])], _ managed: ManagedClass,
    _ row: RowAddress
  ) {
    for (key, objects) in children where !objects.isEmpty {
      bind(objects, to: context.live.linkTargets(of: managed.columns[key], row))
    }
    object.accessor = ObjectAccessor(context, managed, row)
    managed.layout(of: object).manageUsed(object)
  }

  // Embedded objects

  private func embeddedDraft(of object: ObjectBase) -> DraftValue {
    if object.accessor != nil {
      fatalError(
        collection.map { "Cannot add an existing managed embedded object to a \($0)." }
          ?? "Cannot set a link to an existing managed embedded object")
    }
    let managed = context.requireClass(of: Swift.type(of: object))
    let layout = managed.layout(of: object)
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

  /// Whether embedded objects were written that belong to no place yet.
  var hasEmbedded: Bool { !embedded.isEmpty }

  private func takeEmbedded() -> [Embedded] {
    defer { embedded = [] }
    return embedded
  }

  private func bind(_ objects: [Embedded], to rows: [RowAddress]) {
    for (embedded, row) in zip(objects, rows) {
      manage(embedded.object, embedded.children, context.managedClass(at: row.table), row)
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

import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// A class of a Realm, and where the store has its properties.
final class ManagedClass {
  let schema: ObjectSchema
  let type: ObjectBase.Type
  /// The position of the class in the store's schema.
  private(set) var table: Int
  /// For each property, its position in the store's class.
  private(set) var columns: [Int]
  /// The position of the map that holds the fields of documents; nil: the class has a schema.
  private(set) var fields: Int?
  let layout: ClassLayout

  init?(_ schema: ObjectSchema, in store: GatehouseModel.Schema) {
    guard let type = schema.objectClass as? ObjectBase.Type,
      let table = store.objectTypes.firstIndex(where: { $0.name == schema.className })
    else { return nil }
    self.schema = schema
    self.type = type
    self.table = table
    layout = ClassLayout.of(type)
    precondition(
      layout.fields.isEmpty || layout.fields.map(\.property.name) == schema.allProperties.map(\.name),
      "the properties of a class are the fields of its objects, in their order: \(schema.className)")
    let stored = store.objectTypes[table]
    var columns: [Int] = []
    for property in schema.allProperties {
      guard let column = stored.index(of: property.name) else { return nil }
      columns.append(column)
    }
    self.columns = columns
    fields = stored.fieldsIndex
  }

  /// The position of a property, or a class, that the store has no more: whoever reads it stops.
  static let gone = -1

  /// Takes the positions that the class and its properties have after a change of the store's schema.
  func follow(_ store: GatehouseModel.Schema) {
    table = store.objectTypes.firstIndex { $0.name == schema.className } ?? Self.gone
    let stored = store[schema.className]
    columns = schema.allProperties.map { stored?.index(of: $0.name) ?? Self.gone }
    fields = fields.map { _ in stored?.fieldsIndex ?? Self.gone }
  }

  /// Makes an object for a row of the class.
  func object(_ accessor: ObjectAccessor) -> ObjectBase {
    let object = type.init()
    object.accessor = accessor
    layout.manageNew(object)
    return object
  }

  /// Where among the properties the one is that the store has at a position.
  func key(ofColumn column: Int) -> Int? { columns.firstIndex(of: column) }
}

/// The state that copies of a ``Realm`` share: one live view of a file, of a thread, a queue or an actor.
final class RealmContext {
  let file: RealmFile
  let live: LiveRealm
  /// The gate of ``live``.
  let gate: UnsafePointer<ReadGate>
  let configuration: Realm.Configuration
  let schema: Schema
  private var classes: [String: ManagedClass] = [:]
  /// The classes by those in Swift, as far as they were asked for.
  private var types: [ObjectIdentifier: ManagedClass] = [:]
  /// Classes in Swift that have the name of another one, or of one that is not known in Swift, by which objects are written:
  /// their properties may be in another order.
  private var namesakes: [ObjectIdentifier: ManagedClass] = [:]
  /// The classes by their places in the store's schema.
  private var tables: [ManagedClass?] = []
  /// How often the Realm was invalidated.
  private(set) var epoch = 0
  /// The properties that tracked code has read.
  lazy var tracked = TrackedProperties(in: live)
  /// Who wants to know of changes of the whole Realm.
  var observers: [ObjectIdentifier: Realm.NotificationBlock] = [:]
  /// The state that was frozen last.
  private weak var lastFrozen: RealmContext?
  /// How long a transaction may be open; nil: as long as it takes.
  var writeLimit: Duration?
  var isReadOnly: Bool { configuration.readOnly }
  /// Records what is read and written; nil: nothing is recorded.
  var audit: AuditContext?
  /// The transactions that wait, or are told of later.
  var pendingWrites: Set<AsyncTransactionId> = []
  private var lastWrite: AsyncTransactionId = 0

  /// Returns the number of a transaction that waits from now on.
  func nextWrite() -> AsyncTransactionId {
    lastWrite += 1
    pendingWrites.insert(lastWrite)
    return lastWrite
  }

  init(_ file: RealmFile, _ live: LiveRealm, _ configuration: Realm.Configuration, _ schema: Schema) {
    self.file = file
    self.live = live
    gate = live.gate
    self.configuration = configuration
    self.schema = schema
    writeLimit = file.isBorrowed ? Realm.storeWriteLimit : nil
    for objectSchema in schema.objectSchema {
      classes[objectSchema.className] = ManagedClass(objectSchema, in: live.schema)
    }
    placeClasses()
    live.track(by: Tracking.shared)
    live.didChangeSchema = { [weak self] in
      guard let self else { return }
      for managed in classes.values { managed.follow(self.live.schema) }
      for managed in namesakes.values { managed.follow(self.live.schema) }
      placeClasses()
    }
    live.didAdvance = { [weak self] in self?.tellObservers(.didChange) }
    live.didFallBehind = { [weak self] in self?.tellObservers(.refreshRequired) }
  }

  // The file may be closed next, which waits for the transaction.
  deinit { if live.write != nil { live.cancelWrite() } }

  func tellObservers(_ notification: Realm.Notification) {
    for observer in observers.values { observer(notification, Realm(context: self)) }
  }

  // Checks

  /// Stops where who asks may not use the Realm.
  @inline(__always)
  func check() {
    if !gate.pointee.isOnThread, !live.isCurrent { RealmContext.stopOnOtherThread() }
  }

  static func stopOnOtherThread() -> Never { fatalError("Realm accessed from incorrect thread.") }

  /// Stops where the Realm is not in a transaction.
  func checkWrite() {
    check()
    if live.isFrozen {
      fatalError("Attempting to modify a frozen object - call thaw on the Object instance first.")
    }
    if live.write == nil {
      fatalError(
        """
        Attempting to modify object outside of a write transaction - call beginWriteTransaction on an RLMRealm \
        instance first.
        """)
    }
  }

  // Classes

  /// Notes where the classes are in the store's schema. Schemaless ones are known without being declared.
  private func placeClasses() {
    let store = live.schema
    for type in store.objectTypes where type.isSchemaless && classes[type.name] == nil {
      classes[type.name] = ManagedClass(ObjectSchema(stored: type), in: store)
    }
    tables = store.objectTypes.map { classes[$0.name] }
  }

  func managedClass(_ name: String) -> ManagedClass? { classes[name] }

  /// Whether there is a class that says itself what is recorded of its objects.
  private(set) lazy var hasRepresentableClass = classes.values.contains {
    $0.type is any CustomEventRepresentable.Type
  }

  func requireClass(_ name: String) -> ManagedClass {
    guard let managed = classes[name] else {
      fatalError(
        """
        Object type '\(name)' is not managed by the Realm. If using a custom `objectClasses` / `objectTypes` array \
        in your configuration, add `\(name)` to the list of `objectClasses` / `objectTypes`.
        """)
    }
    return managed
  }

  /// Returns the class of objects of a class in Swift; it is the one of that name. Used where the Realm lives.
  func requireClass(of type: ObjectBase.Type) -> ManagedClass {
    if let known = types[ObjectIdentifier(type)] { return known }
    let managed = requireClass(type.className())
    if !live.isFrozen { types[ObjectIdentifier(type)] = managed }
    return managed
  }

  /// Returns the class of an object that is written, with its fields for properties: it may be another class in Swift than the
  /// one that is known by the name, as in a migration, where none is.
  func requireClass(toWrite object: ObjectBase) -> ManagedClass {
    let type = Swift.type(of: object)
    let managed = requireClass(of: type)
    if managed.type == type { return managed }
    if let namesake = namesakes[ObjectIdentifier(type)] { return namesake }
    guard let namesake = ManagedClass(ObjectSchema(type), in: live.schema) else {
      fatalError(
        "Object type '\(managed.schema.className)' has properties that the Realm's class of that name has not."
      )
    }
    namesakes[ObjectIdentifier(type)] = namesake
    return namesake
  }

  func managedClass(at table: Int) -> ManagedClass {
    guard tables.indices.contains(table), let managed = tables[table] else {
      fatalError("The object's class is not part of the Realm's schema.")
    }
    return managed
  }

  // Objects

  /// Returns the object that a primary key identifies; nil: there is none.
  func find(_ id: Mixed, in managed: ManagedClass) -> RowAddress? {
    live.read { reader throws(StorageError) in try reader.find(id, in: managed.table) }
  }

  /// Returns an object for the row, of the class in Swift.
  func object(at row: RowAddress) -> ObjectBase {
    let managed = managedClass(at: row.table)
    return managed.object(ObjectAccessor(self, managed, row))
  }

  // Writing

  /// Makes an object of values, which are those of all properties without which there is none.
  func create(_ managed: ManagedClass, _ assignments: [ObjectDraft.Assignment]) -> RowAddress {
    var assignments = assignments
    // Mostly properties are in the order of those of the store.
    if zip(assignments, assignments.dropFirst()).contains(where: { $0.property > $1.property }) {
      assignments.sort { $0.property < $1.property }
    }
    let draft = ObjectDraft(assignments: assignments)
    return writing(.new) { write throws(StorageError) in
      try write.create(managed.schema.className, draft)
    }
  }

  /// Changes a property, or an element of it.
  func change(
    _ row: RowAddress, _ column: Int, at element: ElementPlace? = nil, inside nested: [String] = [],
    by change: GatehouseStorage.PropertyChange
  ) {
    // Embedded objects go with what they were a part of.
    let type = live.schema.objectTypes[row.table].properties[column].type
    let mayDelete = type.linkTarget.flatMap { live.schema[$0] }?.isEmbedded == true
    writing(mayDelete ? .any : .object(row)) { write throws(StorageError) in
      try write.change(column, of: row, at: element, inside: nested, by: change)
    }
  }

  /// Deletes an object; an embedded one is taken out of what it is a part of.
  func delete(_ row: RowAddress) {
    guard live.schema.objectTypes[row.table].isEmbedded else {
      return writing(.any) { write throws(StorageError) in try write.delete(row) }
    }
    guard let place = live.read({ reader throws(StorageError) in try reader.place(ofEmbedded: row) }) else {
      return
    }
    writing(.any) { write throws(StorageError) in
      try write.change(place.property, of: place.owner, at: place.element, by: .remove)
    }
  }

  private func writing<Answer>(
    _ extent: LiveRealm.Extent, _ body: (InteractiveWrite) throws(StorageError) -> Answer
  ) -> Answer {
    do throws(StorageError) { return try live.change(extent, body) } catch { fatalError(error.realmText) }
  }

  // States

  /// Has all objects and collections become invalid.
  func invalidate() {
    epoch += 1
    live.invalidate()
  }

  /// Returns the Realm as it is now, which never changes.
  func frozen() -> RealmContext {
    if live.isFrozen { return self }
    if let known = lastFrozen, known.live.version == live.version { return known }
    let context = RealmContext(file, live.frozen(), configuration, schema)
    context.audit = audit
    lastFrozen = context
    return context
  }

  /// Returns the live Realm of who asks.
  func thawed() -> RealmContext {
    if let context = file.currentContext(configuration) { return context }
    do { return try Realm.open(file, configuration, .current) } catch { fatalError("\(error)") }
  }
}

extension StorageError {
  /// The error as Realm would say it.
  var realmText: String {
    switch self {
    case .objectExists(let objectType, let id):
      """
      Attempting to create an object of type '\(objectType)' with an existing primary key value \
      '\(id.described)'.
      """
    case .timeLimit: "The write transaction has been open for too long, and was rolled back."
    case .locked(let directory, let holder): "Realm at path '\(directory)' is in use by \(holder)."
    default: "The Realm could not be written: \(self)"
    }
  }
}

import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension Realm {
  /// The effect of adding an object whose primary key is taken.
  public enum UpdatePolicy: Int, Sendable {
    /// It is a mistake.
    case error = 1
    /// Properties that differ are written.
    case modified = 3
    /// All properties are written.
    case all = 2
  }

  private func writer(_ policy: UpdatePolicy) -> RealmWriter {
    context.check()
    if context.live.isFrozen { fatalError("Can't perform transactions on a frozen Realm") }
    if context.live.write == nil {
      fatalError(
        """
        Can only add, remove, or create objects in a Realm in a write transaction - call beginWriteTransaction on \
        an RLMRealm instance first.
        """)
    }
    return RealmWriter(context, policy)
  }

  private func check(_ policy: UpdatePolicy, of managed: ManagedClass) {
    if policy != .error, managed.schema.primaryKeyProperty == nil {
      fatalError("'\(managed.schema.className)' does not have a primary key and can not be updated")
    }
  }

  // Adding

  /// Adds an object, and those that it links to.
  public func add(_ object: Object, update: UpdatePolicy = .error) {
    let writer = writer(update)
    check(update, of: context.requireClass(of: Swift.type(of: object)))
    writer.add(object)
  }

  /// Adds objects, and those that they link to.
  public func add<S: Sequence>(_ objects: S, update: UpdatePolicy = .error) where S.Element: Object {
    for object in objects { add(object, update: update) }
  }

  /// Makes an object of a dictionary, an array or another object.
  @discardableResult
  public func create<T: Object>(
    _ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> T {
    let managed = context.requireClass(of: type)
    check(update, of: managed)
    let row = writer(update).create(managed, from: value)
    return managedObject(at: row)
  }

  /// Makes an object of a class that is known by its name.
  @discardableResult
  public func dynamicCreate(
    _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
  ) -> DynamicObject {
    let managed = context.requireClass(typeName)
    check(update, of: managed)
    return dynamicObject(at: writer(update).create(managed, from: value), managed)
  }

  /// Makes an object that is never seen again.
  public func create<T: AsymmetricObject>(_ type: T.Type, value: Any = [String: Any]()) {
    let managed = context.requireClass(of: type)
    writer(.error).create(managed, from: value)
  }

  private func managedObject<T: ObjectBase>(at row: RowAddress) -> T {
    let object = context.object(at: row)
    if let object = object as? T { return object }
    let other = T()
    other.accessor = object.accessor
    return other
  }

  func dynamicObject(at row: RowAddress, _ managed: ManagedClass) -> DynamicObject {
    let object = DynamicObject()
    object.accessor = ObjectAccessor(context, managed, row)
    return object
  }

  // Deleting

  /// Deletes an object.
  public func delete(_ object: ObjectBase) {
    _ = writer(.error)
    guard let accessor = object.accessor, accessor.context === context else {
      fatalError("Can only delete an object from the Realm it belongs to.")
    }
    accessor.check()
    context.delete(accessor.row)
    accessor.isDeleted = true
  }

  /// Deletes objects.
  public func delete<S: Sequence>(_ objects: S) where S.Element: ObjectBase {
    for object in Array(objects) where object.accessor?.isInvalidated != true { delete(object) }
  }

  /// Deletes the objects of a list.
  public func delete<Element: ObjectBase>(_ objects: List<Element>) {
    if objects.realm == nil { fatalError("Can only delete objects from the Realm they belong to.") }
    delete(Array(objects))
  }

  /// Deletes the objects of a map.
  public func delete<Key: _MapKey, Value: ObjectBase>(_ map: Map<Key, Value?>) {
    delete(map.values.compactMap { $0 })
  }

  /// Deletes the objects of results.
  public func delete<Element: ObjectBase>(_ objects: Results<Element>) {
    delete(Array(objects))
  }

  /// Deletes all objects.
  public func deleteAll() {
    _ = writer(.error)
    // Nobody deletes events.
    for schema in context.schema.objectSchema
    where !schema.isEmbedded && schema.className != AuditContext.className {
      guard let managed = context.managedClass(schema.className) else { continue }
      let all = LiveResults(.objectType(schema.className), of: schema.className, in: context.live).all
      for case .link(let link) in all {
        context.delete(RowAddress(table: managed.table, key: link.key.value))
      }
    }
  }

  // Finding

  /// All objects of a class.
  public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
    context.check()
    let managed = context.requireClass(type.className())
    if managed.schema.isEmbedded {
      fatalError("Embedded objects cannot be queried directly.")
    }
    return Results(context, of: managed)
  }

  /// All objects of a class that is known by its name.
  public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
    context.check()
    return Results(context, of: context.requireClass(typeName))
  }

  /// The object that a primary key identifies; nil: there is none.
  public func object<Element: Object, KeyType>(
    ofType type: Element.Type, forPrimaryKey key: KeyType
  ) -> Element? {
    context.check()
    guard let row = find(context.requireClass(of: type), key) else { return nil }
    context.noteRead(row)
    return managedObject(at: row)
  }

  /// The object that a primary key identifies, of a class that is known by its name; nil: there is none.
  public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
    context.check()
    let managed = context.requireClass(typeName)
    guard let row = find(managed, key) else { return nil }
    context.noteRead(row)
    return dynamicObject(at: row, managed)
  }

  private func find(_ managed: ManagedClass, _ key: Any) -> RowAddress? {
    guard let property = managed.schema.primaryKeyProperty else {
      fatalError("\(managed.schema.className) does not have a primary key")
    }
    guard let id = identifier(key, property) else {
      fatalError(DynamicValue.invalid(key, for: property, of: managed.schema.className))
    }
    return context.find(id, in: managed)
  }

  /// Returns the primary key that a value is; nil: it is none.
  private func identifier(_ key: Any, _ property: Property) -> Mixed? {
    switch (key, property.type) {
    case (let key as Int, .int): return .int(Int64(key))
    case (let key as String, .string): return .string(key)
    default:
      guard case .value(let id)? = RealmWriter(context, .error).draft(key, for: property) else { return nil }
      return id
    }
  }
}

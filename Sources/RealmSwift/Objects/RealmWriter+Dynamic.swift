import GatehouseLive
import GatehouseModel
import GatehouseStorage

// Objects of dictionaries, arrays and other objects.
extension RealmWriter {
  /// Makes an object, or changes the one that is there, as the policy says.
  @discardableResult
  func create(_ managed: ManagedClass, from value: Any) -> RowAddress {
    if managed.schema.isEmbedded { fatalError("Embedded objects cannot be created directly") }
    if let object = value as? ObjectBase, let accessor = object.accessor, accessor.isInvalidated {
      fatalError("Adding a deleted or invalidated object to a Realm is not permitted")
    }
    if let object = value as? ObjectBase, let row = copy(of: object) { return row }
    creations += 1
    defer { creations -= 1 }
    if managed.fields != nil { return createDocument(managed, from: value) }
    let name = managed.schema.className
    let given = DynamicValue.properties(of: value, managed.schema.allProperties, name)
    var drafts: [Int: DraftValue] = [:]
    if let primary = managed.schema.allProperties.firstIndex(where: \.isPrimary) {
      let key = given.first { $0.index == primary }.map { draft($0.value, for: primary, of: managed) }
      let id = key ?? defaults(of: managed).draft(primary)
      drafts[primary] = id
      if case .value(let id) = id, let row = context.find(id, in: managed) {
        if let object = value as? ObjectBase { note(copyOf: object, at: row) }
        return update(row, managed, with: given, id: id)
      }
    }
    // Objects that it leads to may lead to it.
    let isCopy = (value as? ObjectBase)?.accessor != nil
    let isLater = { (index: Int) in
      let property = managed.schema.allProperties[index]
      return isCopy && (property.isCollection || [.object, .any].contains(property.type))
    }
    for (index, value) in given where drafts[index] == nil && !isLater(index) {
      drafts[index] = draft(value, for: index, of: managed)
    }
    let row = insert(managed, drafts)
    if let object = value as? ObjectBase { note(copyOf: object, at: row) }
    for (index, value) in given where isLater(index) {
      context.change(row, managed.columns[index], by: .assign(draft(value, for: index, of: managed)))
    }
    return row
  }

  private func insert(_ managed: ManagedClass, _ drafts: [Int: DraftValue]) -> RowAddress {
    var assignments: [ObjectDraft.Assignment] = []
    let defaults = defaults(of: managed)
    for (index, property) in managed.schema.allProperties.enumerated() where property.type != .linkingObjects
    {
      assignments.append(
        .init(property: managed.columns[index], value: drafts[index] ?? defaults.draft(index)))
    }
    return context.create(managed, assignments)
  }

  private func update(
    _ row: RowAddress, _ managed: ManagedClass, with given: [(index: Int, value: Any)], id: Mixed
  ) -> RowAddress {
    requireUpdate(of: managed, id)
    for (index, value) in given where !managed.schema.allProperties[index].isPrimary {
      write(draft(value, for: index, of: managed), to: index, of: row, managed)
    }
    return row
  }

  /// Stops where an object must not be there already.
  func requireUpdate(of managed: ManagedClass, _ id: Mixed) {
    if policy == .error {
      fatalError(StorageError.objectExists(objectType: managed.schema.className, id: id).realmText)
    }
  }

  /// The values of an object that is given none.
  private struct Defaults {
    let object: ObjectBase
    let properties: [Property]
    let writer: RealmWriter

    /// The default of the class in Swift; where that is not known, as in a migration, the type's.
    func draft(_ index: Int) -> DraftValue {
      if object is DynamicObject { return writer.zero(of: properties[index]) }
      return ClassLayout.of(Swift.type(of: object)).draft(index, of: object, in: writer).value
    }
  }

  private func defaults(of managed: ManagedClass) -> Defaults {
    Defaults(object: managed.type.init(), properties: managed.schema.allProperties, writer: self)
  }

  private func draft(_ value: Any, for index: Int, of managed: ManagedClass) -> DraftValue {
    let property = managed.schema.allProperties[index]
    guard let draft = draft(value, for: property) else {
      fatalError(DynamicValue.invalid(value, for: property, of: managed.schema.className))
    }
    return draft
  }

  // Values

  /// Returns a dynamic value as the property stores it; nil: it does not fit.
  func draft(_ value: Any, for property: Property) -> DraftValue? {
    guard property.isCollection else { return element(value, of: property) }
    guard let value = DynamicValue.unwrapped(value) else { return property.isMap ? .map([]) : .list([]) }
    if property.isMap {
      guard let entries = DynamicValue.entries(of: value) else { return nil }
      var drafts: [DraftValue.Entry] = []
      for (key, value) in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        guard let draft = element(value, of: property) else { return nil }
        drafts.append(.init(key: key, value: draft))
      }
      return .map(drafts)
    }
    guard let sequence = value as? any Sequence, !(value is String) else { return nil }
    var drafts: [DraftValue] = []
    for value in DynamicValue.elements(of: sequence) {
      guard let draft = element(value, of: property) else { return nil }
      drafts.append(draft)
    }
    return .list(drafts)
  }

  private func element(_ value: Any, of property: Property) -> DraftValue? {
    guard let content = DynamicValue.unwrapped(value) else {
      let mayBeNull =
        property.isOptional || property.type == .any || property.type == .object && !property.isArray
      return mayBeNull ? .value(.null) : nil
    }
    if property.type == .object { return object(content, of: property.objectClassName ?? "") }
    return scalar(content, of: property.type)
  }

  private func scalar(_ value: Any, of type: PropertyType) -> DraftValue? {
    switch type {
    case .int: converted(value, to: Int64.self)
    case .bool: converted(value, to: Bool.self)
    case .string: converted(value, to: String.self)
    case .data: data(value)
    case .date: date(value)
    case .float: converted(value, to: Float.self)
    case .double: converted(value, to: Double.self)
    case .any: converted(value, to: AnyRealmValue.self)
    case .objectId: converted(value, to: ObjectId.self)
    case .decimal128: converted(value, to: Decimal128.self)
    case .UUID: uuid(value)
    case .object, .linkingObjects: nil
    }
  }

  func converted<Value: _HasPersistedType>(_ value: Any, to type: Value.Type) -> DraftValue? {
    if let value = Value._rlmFromAny(value) { return value._rlmDraft(in: self).value }
    // Enums, and types of one's own, show what they are stored as.
    guard let bridgeable = value as? any _ObjcBridgeable,
      let content = DynamicValue.unwrapped(bridgeable._rlmAny),
      Swift.type(of: content) != Swift.type(of: value)
    else { return nil }
    return Value._rlmFromAny(content)?._rlmDraft(in: self).value
  }

  /// Returns the link to an object, or the embedded object, that a dynamic value is.
  private func object(_ value: Any, of className: String) -> DraftValue? {
    let managed = context.requireClass(className)
    // A type of one's own may be stored as an object.
    let value = (value as? any _CustomPersistable).flatMap { DynamicValue.unwrapped($0._rlmAny) } ?? value
    if let object = value as? ObjectBase {
      guard object.objectSchema.className == className else { return nil }
      if managed.schema.isEmbedded {
        return object.accessor == nil ? link(to: object) : embedded(managed, from: object)
      }
      guard let accessor = object.accessor, accessor.context !== context else {
        return link(to: add(object))
      }
      return link(to: create(managed, from: object))
    }
    guard value is [String: Any] || value is [Any] else { return nil }
    return managed.schema.isEmbedded ? embedded(managed, from: value) : link(to: create(managed, from: value))
  }

  private func embedded(_ managed: ManagedClass, from value: Any) -> DraftValue {
    let given = DynamicValue.properties(of: value, managed.schema.allProperties, managed.schema.className)
    let defaults = defaults(of: managed)
    var assignments: [ObjectDraft.Assignment] = []
    for (index, property) in managed.schema.allProperties.enumerated() where property.type != .linkingObjects
    {
      let value = given.first { $0.index == index }.map { draft($0.value, for: index, of: managed) }
      assignments.append(.init(property: managed.columns[index], value: value ?? defaults.draft(index)))
    }
    return .embedded(ObjectDraft(assignments: assignments.sorted { $0.property < $1.property }))
  }
}

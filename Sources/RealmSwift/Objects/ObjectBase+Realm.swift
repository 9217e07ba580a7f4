import GatehouseLive
import GatehouseModel
import GatehouseStorage

extension ObjectBase {
  /// The Realm that the object is in; nil: none.
  public var realm: Realm? {
    guard let accessor, accessor.epoch == accessor.context.epoch else { return nil }
    return Realm(context: accessor.context)
  }

  /// The class of the object.
  public var objectSchema: ObjectSchema { accessor?.managed.schema ?? ObjectSchema(Swift.type(of: self)) }

  /// Whether the object was deleted, or its Realm invalidated.
  public var isInvalidated: Bool { accessor?.isInvalidated ?? false }

  /// Whether the object never changes.
  public var isFrozen: Bool { accessor?.context.live.isFrozen ?? false }

  final func isSame(as other: ObjectBase?) -> Bool {
    guard let other else { return false }
    if self === other { return true }
    guard let left = accessor, let right = other.accessor else { return false }
    return left.isSame(as: right)
  }

  // States

  final func frozenCopy() -> Self {
    guard let accessor else { fatalError("Unmanaged objects cannot be frozen.") }
    accessor.check()
    let context = accessor.context
    if context.live.isFrozen { return self }
    let frozen = context.frozen()
    guard let copy = copy(in: frozen) else {
      fatalError("Cannot freeze an object in the same write transaction as it was created in.")
    }
    return copy
  }

  final func thawedCopy() -> Self? {
    guard let accessor else { fatalError("Unmanaged objects cannot be thawed.") }
    guard accessor.context.live.isFrozen else { return self }
    return copy(in: accessor.context.thawed())
  }

  /// Returns the same object in another Realm of the file; nil: it is not there.
  final func copy(in context: RealmContext) -> Self? {
    guard let accessor, let managed = context.managedClass(accessor.managed.schema.className) else {
      return nil
    }
    let row = RowAddress(table: managed.table, key: accessor.row.key)
    if context.live.values(of: row) == nil { return nil }
    let object = Self()
    object.accessor = ObjectAccessor(context, managed, row)
    if Swift.type(of: self) == managed.type { managed.layout.manage(object) }
    return object
  }

  /// Returns the collection that a property of a managed object is.
  final func collection<Collection>(_ key: PropertyKey, _ make: (CollectionPlace) -> Collection) -> Any? {
    if let trace {
      trace.names.append(layout.fields[Int(key)].property.name)
      return nil
    }
    guard let accessor else { return nil }
    accessor.check()
    return make(CollectionPlace(accessor, key))
  }

  // Properties by name

  /// The value of a property.
  public subscript(key: String) -> Any? {
    get { value(forKey: key) }
    set { setValue(newValue, forKey: key) }
  }

  /// The value of a property.
  public func value(forKey key: String) -> Any? {
    if let accessor, !accessor.isTyped(self) { return accessor.any(key) }
    switch key {
    case "invalidated", "isInvalidated": return isInvalidated
    default: break
    }
    guard let index = layout.index(of: key) else { unknown(key) }
    return DynamicValue.unwrapped(layout.any(index, of: self))
  }

  /// The value at the end of a path of names.
  public func value(forKeyPath keyPath: String) -> Any? {
    let parts = keyPath.split(separator: ".", maxSplits: 1).map { String($0) }
    guard let name = parts.first else { return self }
    let value = value(forKey: name)
    guard parts.count > 1 else { return value }
    switch value {
    case let object as ObjectBase: return object.value(forKeyPath: parts[1])
    case let collection as any RealmCollectionImpl: return collection.anyValue(forKeyPath: parts[1])
    case let map as any RealmKeyedCollection: return map.value(forKeyPath: parts[1])
    default: return nil
    }
  }

  /// Sets a property.
  public func setValue(_ value: Any?, forKey key: String) {
    if let accessor { return accessor.set(key, toAny: value) }
    guard let index = layout.index(of: key) else { unknown(key) }
    let value = value ?? (nil as Any?) as Any
    if !layout.set(index, of: self, toAny: value) { invalid(value, layout.fields[index].property) }
  }

  private func unknown(_ key: String) -> Never {
    fatalError("Invalid property name '\(key)' for class '\(layout.className)'.")
  }

  private func invalid(_ value: Any, _ property: Property) -> Never {
    fatalError(DynamicValue.invalid(value, for: property, of: layout.className))
  }

  /// Sets the properties of an unmanaged object to those of a dictionary, an array or another object.
  final func assign(_ value: Any) {
    let layout = layout
    let properties = layout.fields.map(\.property)
    for (index, value) in DynamicValue.properties(of: value, properties, layout.className) {
      if !layout.set(index, of: self, toAny: value) { invalid(value, properties[index]) }
    }
  }
}

extension ObjectAccessor {
  /// Whether the object is one of the class, whose properties have places in its memory.
  func isTyped(_ object: ObjectBase) -> Bool {
    Swift.type(of: object) == managed.type && managed.type != DynamicObject.self
  }

  /// Returns the value of a property by its name, where the object's class in Swift is not known.
  func any(_ name: String) -> Any? {
    check()
    guard let key = managed.schema.index(ofDynamic: name) else {
      if let fields { return fields.any(name) }
      fatalError("Invalid property name '\(name)' for class '\(managed.schema.className)'.")
    }
    let property = managed.schema.allProperties[key]
    if property.isCollection || property.type == .linkingObjects {
      return DynamicValue.collection(CollectionPlace(self, PropertyKey(key)))
    }
    let value = value(of: PropertyKey(key))
    if context.audit != nil { noteLink(value, PropertyKey(key)) }
    return DynamicValue.any(value, in: context, at: place(of: value, PropertyKey(key)))
  }

  /// Sets a property by its name to a value whose type is not known.
  func set(_ name: String, toAny value: Any?) {
    let writer = writeContext()
    guard let key = managed.schema.index(ofDynamic: name) else {
      if let fields { return fields.set(name, to: value, in: writer) }
      fatalError("Invalid property name '\(name)' for class '\(managed.schema.className)'.")
    }
    let property = managed.schema.allProperties[key]
    let value = value ?? (nil as Any?) as Any
    guard let draft = writer.draft(value, for: property) else {
      fatalError(DynamicValue.invalid(value, for: property, of: managed.schema.className))
    }
    set(PropertyKey(key), in: writer) { _ in draft }
  }
}

extension ObjectAccessor {
  /// Sets a property to a value of whatever type, if that is one that it can have.
  func setIfItFits(_ property: Property, toAny value: Any) {
    let writer = writeContext()
    guard let key = managed.schema.allProperties.firstIndex(where: { $0.name == property.name }),
      let draft = writer.draft(value, for: property)
    else { return }
    set(PropertyKey(key), in: writer) { _ in draft }
  }
}

extension ObjectBase: CustomStringConvertible, DescribedValue {
  /// The class, and the values of all properties.
  public var description: String { isInvalidated ? "[invalid object]" : described(to: ValueText.levels) }

  final func described(to levels: Int) -> String {
    if levels == 0 { return ValueText.tooDeep }
    let schema = objectSchema
    let lines =
      schema.properties.map { property in
        let text = ValueText.ofProperty(value(forKey: property.name), to: levels - 1)
        return "\t\(property.name) = \(ValueText.indented(text));\n"
      } + (accessor?.fields?.lines(to: levels - 1) ?? [])
    return "\(schema.className) {\n\(lines.joined())}"
  }
}

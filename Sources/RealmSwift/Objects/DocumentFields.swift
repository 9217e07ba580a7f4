import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The fields of a document: an object of a schemaless class of the store, which has `_id` and whatever else it was given.
struct DocumentFields {
  private let place: CollectionPlace
  private let className: String

  fileprivate init(of accessor: ObjectAccessor) {
    place = CollectionPlace(fieldsOf: accessor)
    className = accessor.managed.schema.className
  }

  /// The fields by their names, as a map.
  var map: Map<String, AnyRealmValue> { Map(place) }

  /// Returns the value of a field as dynamic access shows it; nil: it is null, or there is none.
  func any(_ name: String) -> Any? {
    place.check()
    guard let value = place.value(of: name) else { return nil }
    if place.context.audit != nil { place.context.noteRead(value, of: place) }
    return DynamicValue.any(
      value, in: place.context, at: value.isCollection ? place.place(of: .key(name)) : nil)
  }

  /// Sets a field; nil takes it away.
  func set(_ name: String, to value: Any?, in writer: RealmWriter) {
    guard let value else { return map.removeObject(for: name) }
    place.change(at: .key(name), by: .assign(writer.field(value, named: name, of: className)))
  }

  /// The lines that the text of an object has of them.
  func lines(to levels: Int) -> [String] {
    map.entries.map { name, value in
      "\t\(name) = \(ValueText.indented(ValueText.ofProperty(DynamicValue.unwrapped(value._rlmAny), to: levels)));\n"
    }
  }
}

extension ObjectAccessor {
  /// The fields of a document; nil: the class has a schema.
  var fields: DocumentFields? { managed.fields.map { _ in DocumentFields(of: self) } }
}

extension DynamicObject {
  /// The fields of an object of a schemaless class by their names, without `_id`: as they change, and to be changed. Stops where the class
  /// has a schema.
  public func dynamicFields() -> Map<String, AnyRealmValue> {
    guard let fields = accessor?.fields else { fatalError("Only objects of schemaless classes have fields.") }
    return fields.map
  }
}

extension RealmWriter {
  /// Returns the value of a document's field; stops where it cannot be one.
  func field(_ value: Any, named name: String, of className: String) -> DraftValue {
    MapKeys.check(name)
    guard let draft = converted(value, to: AnyRealmValue.self) else {
      var property = Property(name: name, type: .any)
      property.isOptional = true
      fatalError(DynamicValue.invalid(value, for: property, of: className))
    }
    return draft
  }

  /// Makes a document, or changes the fields of the one that is there, as the policy says.
  func createDocument(_ managed: ManagedClass, from value: Any) -> RowAddress {
    let (className, column) = (managed.schema.className, managed.columns[0])
    guard let fields = managed.fields else { fatalError("'\(className)' has a schema.") }
    var entries = DynamicValue.members(of: value, className)
    let id =
      entries.removeValue(forKey: ObjectType.documentIDName).map { identifier($0, of: managed) }
      ?? .objectID(ObjectId.generate().stored)
    if let row = context.find(id, in: managed) {
      requireUpdate(of: managed, id)
      let document = DocumentFields(of: ObjectAccessor(context, managed, row))
      for (name, value) in entries { document.set(name, to: value, in: self) }
      return row
    }
    let drafts = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { name, value in
      DraftValue.Entry(key: name, value: field(value, named: name, of: className))
    }
    return context.create(
      managed,
      [.init(property: column, value: .value(id)), .init(property: fields, value: .map(drafts))])
  }

  private func identifier(_ value: Any, of managed: ManagedClass) -> Mixed {
    guard let id = converted(value, to: AnyRealmValue.self)?.identifier, id.mayIdentify else {
      fatalError(
        DynamicValue.invalid(value, for: managed.schema.allProperties[0], of: managed.schema.className))
    }
    return id
  }
}

extension DraftValue {
  /// The value, as far as it may be an identifier; nil: it may not.
  fileprivate var identifier: Mixed? {
    switch self {
    case .value(let value): return value
    case .map(let entries):
      let values = entries.compactMap { entry in
        entry.value.identifier.map { Mixed.Entry(key: entry.key, value: $0) }
      }
      return values.count == entries.count ? .dictionary(values) : nil
    case .list, .link, .embedded: return nil
    }
  }
}

extension Mixed {
  /// Whether a document can be identified by the value.
  fileprivate var mayIdentify: Bool {
    switch self {
    case .null, .list, .link: false
    case .dictionary(let entries): entries.allSatisfy { $0.value == .null || $0.value.mayIdentify }
    case .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: true
    }
  }
}

import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// Looks into values whose types are not known before.
enum DynamicValue {
  /// Whether the value is nil, however often it is wrapped.
  static func isNull(_ value: Any) -> Bool { unwrapped(value) == nil }

  /// Returns the value without the optionals around it; nil: there is none.
  static func unwrapped(_ value: Any) -> Any? {
    var value = value
    while let optional = value as? any MaybeNil {
      guard let content = optional.content else { return nil }
      value = content
    }
    return value is NSNull ? nil : value
  }

  /// Returns the value as an object, in which it is where it is none itself; nil: there is no value.
  static func object(_ value: Any) -> AnyObject? { unwrapped(value).map { $0 as AnyObject } }

  /// Returns values as objects, of which one stands for null.
  static func objects(_ value: Any?) -> [AnyObject] {
    switch value {
    case let values as [Any]: values.map { object($0) ?? NSNull() }
    case let value?: object(value).map { [$0] } ?? []
    case nil: []
    }
  }

  /// Returns the elements of a sequence.
  static func elements(of sequence: any Sequence) -> [Any] {
    func all<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 as Any } }
    return all(sequence)
  }

  /// Returns the entries of a dictionary or map; nil: it is none.
  static func entries(of value: Any) -> [(key: String, value: Any)]? {
    if let map = value as? any DynamicMap { return map.anyEntries }
    guard let dictionary = value as? [String: Any] else { return nil }
    return dictionary.map { ($0.key, $0.value) }
  }

  /// Returns the values that a dictionary, an array or another object has for properties, by their places.
  static func properties(
    of value: Any, _ properties: [Property], _ className: String
  ) -> [(index: Int, value: Any)] {
    if let dictionary = value as? [String: Any] {
      return properties.enumerated().compactMap { index, property in
        property.type == .linkingObjects ? nil : dictionary[property.name].map { (index, $0) }
      }
    }
    if let object = value as? ObjectBase {
      let names = Set(object.objectSchema.properties.map(\.name))
      return properties.enumerated().compactMap { index, property in
        guard property.type != .linkingObjects, names.contains(property.name) else { return nil }
        return (index, object.value(forKey: property.name) ?? (nil as Any?) as Any)
      }
    }
    guard let array = value as? [Any] else {
      fatalError("Invalid value '\(value)' to initialize object of type '\(className)'")
    }
    let indexes = properties.indices.filter { properties[$0].type != .linkingObjects }
    if array.count > indexes.count {
      fatalError("Invalid array input: more values (\(array.count)) than properties (\(indexes.count)).")
    }
    return zip(indexes, array).map { ($0, $1) }
  }

  /// Returns the values of a document by their names, of a dictionary, a map, an array that has the identifier alone, or another object.
  static func members(of value: Any, _ className: String) -> [String: Any] {
    if let entries = entries(of: value) { return Dictionary(entries.map { ($0.key, $0.value) }) { $1 } }
    if let object = value as? ObjectBase {
      let names = object.objectSchema.properties.map(\.name)
      var members = object.accessor?.fields.map { Self.members(of: $0.map, className) } ?? [:]
      for name in names { members[name] = object.value(forKey: name) ?? (nil as Any?) as Any }
      return members
    }
    let id = Property(name: GatehouseModel.ObjectType.documentIDName, type: .any)
    return Dictionary(
      uniqueKeysWithValues: properties(of: value, [id], className).map { (id.name, $0.value) })
  }

  /// Says that a value does not fit a property.
  static func invalid(_ value: Any, for property: Property, of className: String) -> String {
    let content = unwrapped(value)
    let text = content.map { "\($0)" } ?? "(null)"
    let type = content.map { "\(Swift.type(of: $0))" } ?? "(null)"
    return
      "Invalid value '\(text)' of type '\(type)' for \(property.kindName) property '\(className).\(property.name)'."
  }

  // Stored values

  /// Returns a stored value as dynamic access shows it; nil: null.
  static func any(_ value: Mixed, in context: RealmContext, at place: MixedPlace? = nil) -> Any? {
    switch value {
    case .null: return nil
    case .bool(let value): return value
    case .int(let value): return Int(value)
    case .float(let value): return value
    case .double(let value): return value
    case .string(let value): return value
    case .link:
      guard let row = context.live.row(of: value) else { return nil }
      let managed = context.managedClass(at: row.table)
      let object = DynamicObject()
      object.accessor = ObjectAccessor(context, managed, row)
      return object
    case .decimal128, .data, .date, .objectID, .uuid, .list, .dictionary:
      return AnyRealmValue._rlmFromStored(_RealmStoredValue(value, in: context, at: place)).flatMap {
        unwrapped($0._rlmAny)
      }
    }
  }

  /// Returns a collection whose elements' type is known by the schema only.
  static func collection(_ place: CollectionPlace) -> Any {
    let property = place.property
    if property.isOfObjects {
      if property.isSet { return MutableSet<DynamicObject>(place) }
      if property.isMap { return Map<String, DynamicObject?>(place) }
      if property.type == .linkingObjects { return LinkingObjects<DynamicObject>(place) }
      return List<DynamicObject>(place)
    }
    if property.isSet { return MutableSet<AnyRealmValue>(place) }
    if property.isMap { return Map<String, AnyRealmValue>(place) }
    return List<AnyRealmValue>(place)
  }
}

/// A type that knows whether it holds nothing, behind `Any`.
private protocol MaybeNil {
  var content: Any? { get }
}

extension Optional: MaybeNil {
  var content: Any? { self }
}

import GatehouseBSON
import GatehouseModel

/// A class that fits some objects.
///
/// `_id`, or else `id`, is the primary key where every object has it, and all have the same type of it; without one, the server makes ObjectIds in
/// `_id`. Everything else is optional. What is of several types, or is inside of an object, is mixed.
struct InferredClass {
  /// The most classes of a schema that objects make: the log of changes has each schema as a whole.
  static let mostClasses = 256

  let objectType: ObjectType

  /// Throws where a schema has so many classes that no objects make another.
  static func requireRoom(in schema: Schema) throws(APIError) {
    if schema.objectTypes.count >= mostClasses { throw .tooManyClasses(limit: mostClasses) }
  }

  /// Throws `SchemaError` where no class can have that name, or these properties.
  init(_ name: String, of objects: [Value]) throws {
    var names: [String] = []
    var shapes: [String: Shape] = [:]
    for case .document(let document) in objects {
      for element in document.elements {
        if shapes[element.key] == nil { names.append(element.key) }
        shapes[element.key] = Shape(element.value).joined(with: shapes[element.key])
      }
    }
    let primaryKey = InferredClass.primaryKey(of: objects, shapes)
    var properties = Document()
    if primaryKey == nil { properties.append("_id", .string("objectId")) }
    for name in names where name != "_id" || primaryKey == "_id" {
      let shape = shapes[name] ?? .unknown
      properties.append(name, .string(name == primaryKey ? shape.typeName : shape.optionalTypeName))
    }
    objectType = try ObjectType(
      notation: [
        "name": .string(name), "primaryKey": .string(primaryKey ?? "_id"),
        "properties": .document(properties),
      ])
  }

  private static func primaryKey(of objects: [Value], _ shapes: [String: Shape]) -> String? {
    for name in ["_id", "id"] {
      guard case .one(let type)? = shapes[name], type.canBeKey else { continue }
      let isEverywhere = objects.allSatisfy { object in
        if case .document(let document) = object {
          document[name].map { $0 != .null } ?? false
        } else {
          false
        }
      }
      if isEverywhere { return name }
    }
    return nil
  }
}

/// The type of some values.
private enum Shape: Equatable {
  /// There was nothing but null.
  case unknown
  case one(Scalar)
  /// Arrays; nil: nothing was in them.
  case list(Scalar?)

  enum Scalar: String {
    case bool, int, double, decimal128, string, data, date, objectId, uuid, mixed

    var canBeKey: Bool { [.int, .string, .objectId, .uuid].contains(self) }

    func joined(with other: Scalar) -> Scalar {
      if self == other { return self }
      let numbers: Set<Scalar> = [.int, .double]
      return numbers.contains(self) && numbers.contains(other) ? .double : .mixed
    }
  }

  init(_ value: Value) {
    switch value {
    case .null: self = .unknown
    case .array(let values):
      let types = values.map(Shape.scalar)
      self = .list(types.dropFirst().reduce(types.first) { $0?.joined(with: $1) })
    default: self = .one(Shape.scalar(value))
    }
  }

  private static func scalar(_ value: Value) -> Scalar {
    switch value {
    case .bool: .bool
    case .int32, .int64: .int
    case .double: .double
    case .decimal128: .decimal128
    case .string(let text): Date(text) == nil ? .string : .date
    case .binary: .data
    case .uuid: .uuid
    case .date: .date
    case .objectID: .objectId
    default: .mixed
    }
  }

  func joined(with other: Shape?) -> Shape {
    switch (self, other) {
    case (_, nil), (_, .unknown?): self
    case (.unknown, let other?): other
    case (.one(let type), .one(let otherType)?): .one(type.joined(with: otherType))
    case (.list(nil), .list(let type)?): .list(type)
    case (.list(let type), .list(nil)?): .list(type)
    case (.list(let type?), .list(let otherType?)?): .list(type.joined(with: otherType))
    case (.one, .list?), (.list, .one?): .one(.mixed)
    }
  }

  var typeName: String {
    switch self {
    case .unknown: Scalar.mixed.rawValue
    case .one(let type): type.rawValue
    case .list(let type): "\(type?.rawValue ?? Scalar.mixed.rawValue)[]"
    }
  }

  var optionalTypeName: String {
    if case .one(let type) = self, type != .mixed { "\(typeName)?" } else { typeName }
  }
}

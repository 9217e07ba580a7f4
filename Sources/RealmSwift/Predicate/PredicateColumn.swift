internal import GatehouseModel
internal import GatehouseQuery

/// A path of a predicate, bound to the schema.
struct PredicateColumn {
  /// As it was written.
  let path: PredicatePath
  /// The class that it starts at.
  let className: String
  let operand: Operand
  /// The values that the operand reads, where it computes nothing of them.
  let values: KeyPath?
  let type: ElementType
  /// Whether it can yield any number of values.
  let isToMany: Bool
  /// Whether those are the elements of collections that are properties, one of which has to be asked for by `ANY`; inside
  /// of mixed values it goes without saying.
  var needsAny: Bool {
    guard isToMany, let values, !values.hasManyTargets else { return isToMany }
    return switch values.end {
    case .nested, .element, .entry, .nestedElements: false
    case .object, .key, .value, .elements, .keys, .function: true
    }
  }

  /// `@count` and others; nil: there is none.
  let function: String?

  /// The path as errors write it.
  var name: String { path.text }

  /// The type as errors write it.
  var typeName: String { type.realmName }
}

extension PredicatePath {
  /// The path as errors write it.
  var text: String {
    var text = ""
    for element in elements {
      switch element {
      case .name(let name): text += text.isEmpty ? name : ".\(name)"
      case .position(let index): text += "[\(index)]"
      case .first: text += "[FIRST]"
      case .last: text += "[LAST]"
      case .key(let key): text += "['\(key)']"
      case .all: text += "[*]"
      }
    }
    return text.isEmpty ? "SELF" : text
  }
}

extension ElementType {
  /// Realm's name of the type (`RLMTypeToString`), that of the class of objects.
  var realmName: String {
    switch self {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .double: "double"
    case .decimal128: "decimal128"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .objectID: "object id"
    case .uuid: "uuid"
    case .mixed: "mixed"
    case .object(let name): name
    }
  }

  /// Whether its values are numbers.
  var isNumber: Bool {
    switch self {
    case .int, .float, .double, .decimal128: true
    case .bool, .string, .data, .date, .objectID, .uuid, .mixed, .object: false
    }
  }
}

import GatehouseBSON
import GatehouseModel

extension Migration {
  /// Reads the content of a file. Throws ``MigrationError`` or `SchemaError`.
  init(notation: Value) throws {
    let members = try MemberReader(
      notation, at: [],
      known: [Settings.schemaMember, "description", "schema", "rename", "drop", "destructive", "data"])
    _ = try members.text("description")
    classes = try members.array("schema").map { try ObjectType(notation: $0) }
    var renames: SchemaRenames = []
    for value in try members.array("rename") {
      guard case .string(let text) = value, renames.add(text) else {
        throw MigrationError.wrongMember(["rename"], expected: "an array of CLASS:NEW and CLASS.OLD:NEW")
      }
    }
    self.renames = renames
    dropped = try members.array("drop").map { value in
      guard case .string(let name) = value else {
        throw MigrationError.wrongMember(["drop"], expected: "an array of names of classes")
      }
      return name
    }
    isDestructive = try members.flag("destructive") ?? false
    assignments = try members.array("data").map { try Assignment(notation: $0) }
  }
}

extension Migration.Assignment {
  fileprivate init(notation: Value) throws {
    let members = try MemberReader(notation, at: ["data"], known: ["class", "where", "set", "function"])
    let expected = "an array of objects with class, and with set or function"
    guard let name = try members.text("class") else {
      throw MigrationError.wrongMember(["data"], expected: expected)
    }
    objectType = name
    filter = try members.text("where")
    switch (members["set"], try members.text("function")) {
    case (.document(let values)?, nil) where !values.elements.isEmpty:
      self.values = .expressions(try Self.expressions(values))
    case (nil, let file?):
      guard MigrationFile.isFunction(file) else {
        throw MigrationError.wrongMember(
          ["data"],
          expected: "an array in which function names a file of JavaScript beside it, such as 0001_prices.js")
      }
      self.values = .function(file)
    default: throw MigrationError.wrongMember(["data"], expected: expected)
    }
  }

  private static func expressions(_ values: Document) throws -> [(property: String, expression: String)] {
    try values.elements.map { element in
      guard case .string(let text) = element.value else {
        throw MigrationError.wrongMember(
          ["data"], expected: "an array in which set gives each property an expression, a text")
      }
      return (element.key, text)
    }
  }
}

/// The members of a JSON object in a file, of which none may be there but those that are known.
private struct MemberReader {
  private let document: Document
  private let path: [String]

  init(_ value: Value, at path: [String], known: [String]) throws {
    guard case .document(let document) = value else {
      throw MigrationError.wrongMember(
        path, expected: path.isEmpty ? "an object, the whole file" : "an array of objects")
    }
    for element in document.elements where !known.contains(element.key) {
      throw MigrationError.unknownMember(path + [element.key])
    }
    self.document = document
    self.path = path
  }

  subscript(name: String) -> Value? { document[name] }

  func text(_ name: String) throws -> String? {
    guard let value = document[name] else { return nil }
    guard case .string(let text) = value else {
      throw MigrationError.wrongMember(path + [name], expected: "a text")
    }
    return text
  }

  func flag(_ name: String) throws -> Bool? {
    guard let value = document[name] else { return nil }
    guard case .bool(let flag) = value else {
      throw MigrationError.wrongMember(path + [name], expected: "true or false")
    }
    return flag
  }

  func array(_ name: String) throws -> [Value] {
    guard let value = document[name] else { return [] }
    guard case .array(let values) = value else {
      throw MigrationError.wrongMember(path + [name], expected: "an array")
    }
    return values
  }
}

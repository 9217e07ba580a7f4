import GatehouseModel

/// Where the objects of one class are in the file: the one place that knows the names of tables and columns.
struct TableLayout: Sendable {
  let objectType: ObjectType
  /// The class' table, unquoted.
  let name: String
  /// In the order of the class' properties.
  let properties: [PropertyLayout]
  /// The commit that last changed what all objects of the class show, by a change of the schema; 0: none did.
  let shapeVersion: Int64

  /// The class' table, as SQL text.
  var table: String { quoted(name) }

  /// The version of an object, as SQL text: that of its last change, or of the class' if that was later. Nobody writes
  /// all objects anew because they have another property.
  func version(of alias: String? = nil) -> String {
    let column = alias.map { "\($0)._version" } ?? "_version"
    return shapeVersion == 0 ? column : "max(\(column), \(shapeVersion))"
  }

  /// The column that holds what clients identify an object by, as SQL text.
  var identifierColumn: String {
    objectType.primaryKeyIndex.map { properties[$0].column } ?? "_key"
  }

  /// Returns the condition, as SQL text, that a value is what clients identify an object by.
  ///
  /// - Parameters:
  ///   - prefix: the name of the table, and a point.
  ///   - orIsNull: whether the value may be null.
  func identifies(_ value: String, of prefix: String = "", orIsNull: Bool = false) -> String {
    guard identifierType == .mixed, let index = objectType.primaryKeyIndex else {
      return "\(prefix)\(identifierColumn) \(orIsNull ? "IS" : "=") \(value)"
    }
    // Numbers of all types that are equal are one identifier.
    let layout = properties[index]
    return "\(layout.member("\(prefix)\(identifierColumn)")) = \(layout.member(value))"
  }

  /// The type of what clients identify an object by.
  var identifierType: ElementType {
    guard case .one(let type, _)? = objectType.primaryKey?.type else { return .int }
    return type
  }

  /// The columns of the class' table that hold properties, with the properties' indices.
  var columns: [(property: Int, layout: PropertyLayout)] {
    properties.enumerated().filter { $0.element.isColumn }.map { ($0.offset, $0.element) }
  }
}

/// Where one property is.
struct PropertyLayout: Sendable {
  let property: Property
  /// The column of the class' table, or the child table, unquoted; nil for linking objects.
  let name: String?

  /// The column, as SQL text. Only for properties that hold one value.
  var column: String { quoted(name ?? property.storedName) }

  /// The child table, as SQL text. Only for lists, sets and maps.
  var child: String { quoted(name ?? property.storedName) }

  /// Whether the property is a column of the class' table.
  var isColumn: Bool {
    if case .one = property.type { return true }
    return false
  }

  /// The type of one value or element; nil for linking objects.
  var element: ElementType? {
    switch property.type {
    case .one(let type, _), .list(let type, _), .set(let type, _), .map(let type, _): return type
    case .linkingObjects: return nil
    }
  }
}

extension PropertyLayout {
  /// Returns SQL for the key by which a set has a value once, and is ordered. The key of mixed values is that of
  /// ``MixedOrder/sortOrder(_:_:)``, where 1 and 1.0 are the same; nothing comes before null.
  func member(_ value: String) -> String {
    element == .mixed ? "ifnull(mixed_order(\(value)), x'')" : value
  }
}

/// A name as SQL text (<https://sqlite.org/lang_keywords.html>).
func quoted(_ name: String) -> String {
  guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"\(name)\"" }
  var text = "\""
  for character in name.unicodeScalars {
    if character == "\"" { text.unicodeScalars.append("\"") }
    text.unicodeScalars.append(character)
  }
  return text + "\""
}

/// A text as an SQL literal.
func literal(_ text: String) -> String {
  "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
}

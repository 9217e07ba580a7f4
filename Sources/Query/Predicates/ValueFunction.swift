package import GatehouseModel

/// A function of each value that a path yields, written behind the path.
///
/// All that the query language knows of a function stands here: its name, the types that have it, its value. How SQLite
/// computes it stands in `ValueFunction+SQL.swift` of Storage.
public enum ValueFunction: Hashable, Sendable {
  /// Bytes of a string or of data, elements of a collection inside a mixed value; null for anything else.
  case size
  /// The size of each element of a list or set. A null among strings or data has 0 bytes (realm-core,
  /// `ColumnListElementLength`).
  case length
  /// The type, as the bits of a ``TypeSet``.
  case type
  /// The text without diacritics, in lower case as well unless the case counts. The language has no word for it; Realm's
  /// predicates do, in their `[d]`.
  case unaccented(caseSensitive: Bool)

  /// The function of that name behind a property whose values have the type; nil where there is none. The functions that
  /// begin with `@` are words of the grammar, and no names.
  init?(_ name: String, of type: ElementType, inCollection isElement: Bool) {
    switch name.lowercased() {
    case "length" where isElement && type.isTextual: self = .length
    default: return nil
    }
  }

  /// How the language spells it.
  var word: String {
    switch self {
    case .size: "@size"
    case .length: "length"
    case .type: "@type"
    case .unaccented(let caseSensitive): caseSensitive ? "@unaccented" : "@unaccented[c]"
    }
  }

  /// The type of its values.
  func resultType(of type: ElementType) -> ElementType {
    switch self {
    case .size, .length, .type: .int
    case .unaccented: type
    }
  }

  /// The function of a value that a property of that type holds.
  package func value(of value: Mixed, type: ElementType) -> Mixed {
    switch self {
    case .size: value.size
    case .length: value == .null && type != .mixed ? .int(0) : value.size
    case .type: .int(Int64(TypeSet(value.type).rawValue))
    case .unaccented(let caseSensitive): value.unaccented(caseSensitive: caseSensitive)
    }
  }
}

extension Mixed {
  /// A text without diacritics; any other value as it is.
  package func unaccented(caseSensitive: Bool) -> Mixed {
    guard case .string(let text) = self else { return self }
    return .string(text.unaccented(caseSensitive: caseSensitive))
  }

  /// Bytes of a string or data, elements of a collection; null for anything else.
  fileprivate var size: Mixed {
    switch self {
    case .string(let value): .int(Int64(value.utf8.count))
    case .data(let bytes): .int(Int64(bytes.count))
    case .list(let elements): .int(Int64(elements.count))
    case .dictionary(let entries): .int(Int64(entries.count))
    case .null, .bool, .int, .float, .double, .decimal128, .date, .objectID, .uuid, .link: .null
    }
  }
}

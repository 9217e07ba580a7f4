import BSON
import Model
import SQLite

/// A piece of SQL and the values that its parameters stand for, in order.
///
/// Composed by interpolation, so that text and values stay together and no value ever becomes text:
///
///     let condition: SQLText = "\(column) = \(bind: .integer(7))"
struct SQLText: ExpressibleByStringInterpolation {
  /// A value for a parameter.
  enum Binding: Hashable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
  }

  private(set) var text: String
  private(set) var bindings: [Binding] = []

  init(stringLiteral value: String) {
    text = value
  }

  init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
    bindings = stringInterpolation.bindings
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var bindings: [Binding] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    mutating func appendInterpolation(_ piece: SQLText) {
      text += piece.text
      bindings += piece.bindings
    }

    /// A name, quoted already, or other text of our own making; never a client's.
    mutating func appendInterpolation(raw: String) {
      text += raw
    }

    mutating func appendInterpolation(bind value: Binding) {
      text += "?"
      bindings.append(value)
    }
  }

  /// The pieces with a separator between them.
  static func joined(_ pieces: [SQLText], _ separator: String) -> SQLText {
    var joined: SQLText = ""
    for (index, piece) in pieces.enumerated() {
      if index > 0 { joined.text += separator }
      joined.text += piece.text
      joined.bindings += piece.bindings
    }
    return joined
  }

  /// Binds the values, in order, from the first parameter on.
  func bind(to statement: Statement) {
    for (index, binding) in bindings.enumerated() {
      let place = Int32(index + 1)
      switch binding {
      case .integer(let value): statement.bind(value, at: place)
      case .real(let value): statement.bind(value, at: place)
      case .text(let value): statement.bind(value, at: place)
      case .blob(let value): statement.bind(blob: value, at: place)
      }
    }
  }
}

extension SQLText.Binding {
  /// What a column of type `type` holds for the value; nil where no single value of such a column compares
  /// with it as the query language does.
  init?(_ value: Mixed, comparedWith type: ElementType) {
    switch (type, value) {
    case (.bool, .bool(let value)): self = .integer(value ? 1 : 0)
    case (.int, .int(let value)), (.float, .int(let value)), (.double, .int(let value)):
      self = .integer(value)
    case (.int, .double(let value)), (.float, .double(let value)), (.double, .double(let value)):
      guard !value.isNaN else { return nil }
      self = .real(value)
    case (.int, .float(let value)), (.float, .float(let value)), (.double, .float(let value)):
      guard !value.isNaN else { return nil }
      self = .real(Double(value))
    case (.string, .string(let value)): self = .text(value)
    case (.data, .data(let value)): self = .blob(value)
    case (.date, .date(let value)): self = .text(value.storedText)
    case (.objectID, .objectID(let value)): self = .text(value.description)
    case (.uuid, .uuid(let value)): self = .text(value.description)
    case (.decimal128, .decimal128(let value)): self = .text(value.description)
    default: return nil
    }
  }
}

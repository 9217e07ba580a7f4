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

  /// A binding that stands for the constant of a conjunct, so that another constant can take its place.
  struct Argument: Hashable {
    /// Its place among the bindings.
    var binding: Int
    /// The conjunct's place; nil: not known yet.
    var conjunct: Int?
  }

  private(set) var text: String
  private(set) var bindings: [Binding] = []
  private(set) var arguments: [Argument] = []

  init(stringLiteral value: String) {
    text = value
  }

  init(stringInterpolation: StringInterpolation) {
    text = stringInterpolation.text
    bindings = stringInterpolation.bindings
    arguments = stringInterpolation.arguments
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""
    fileprivate var bindings: [Binding] = []
    fileprivate var arguments: [Argument] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    mutating func appendInterpolation(_ piece: SQLText) {
      text += piece.text
      arguments += piece.arguments(behind: bindings.count)
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

    /// The value of a constant, on which nothing else in the text depends.
    mutating func appendInterpolation(argument value: Binding) {
      arguments.append(Argument(binding: bindings.count))
      appendInterpolation(bind: value)
    }
  }

  /// The pieces with a separator between them.
  static func joined(_ pieces: [SQLText], _ separator: String) -> SQLText {
    var joined: SQLText = ""
    for (index, piece) in pieces.enumerated() {
      if index > 0 { joined.text += separator }
      joined.text += piece.text
      joined.arguments += piece.arguments(behind: joined.bindings.count)
      joined.bindings += piece.bindings
    }
    return joined
  }

  private func arguments(behind count: Int) -> [Argument] {
    arguments.map { Argument(binding: $0.binding + count, conjunct: $0.conjunct) }
  }

  /// The same as the condition of a conjunct; nil: one whose constants belong to it for good.
  func asConjunct(_ place: Int?) -> SQLText {
    var text = self
    text.arguments =
      place.map { place in
        arguments.map { Argument(binding: $0.binding, conjunct: place) }
      } ?? []
    return text
  }

  /// The same with other values for the constants of conjuncts; nil where `value` has none.
  func replacingArguments(_ value: (_ conjunct: Int) -> Binding?) -> SQLText? {
    var text = self
    for argument in arguments {
      guard let conjunct = argument.conjunct, let value = value(conjunct) else { return nil }
      text.bindings[argument.binding] = value
    }
    return text
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

import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

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

  /// A binding that stands for a constant of a plan, so that another constant can take its place.
  struct Argument: Hashable {
    /// The form of the constant that is bound.
    enum Form: Hashable {
      /// The value that a column of the type that it is compared with has.
      case value
      /// A text in a mixed column.
      case text
      /// The bytes that a mixed column has for other values.
      case encoded
      /// The bytes that stand for the value's place in the order of mixed values.
      case sortKey
      /// The value that SQLite had.
      case raw
      case folded
      /// The end of the range of texts that begin with it.
      case end
      case foldedEnd
      /// An end of the range of places, in an index of documents, in which the values are that relate so to it.
      case field(FieldKey.Bound)
    }

    /// Its place among the bindings.
    var binding: Int
    /// The constant's place: among those of its comparison first, then among those of the plan.
    var constant: Int
    let form: Form
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
    precondition(
      arguments.last.map { $0.binding < bindings.count } ?? true, "what stands for a constant is bound")
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
    mutating func appendInterpolation(
      argument value: Binding, of constant: Int = 0, as form: Argument.Form = .value
    ) {
      arguments.append(Argument(binding: bindings.count, constant: constant, form: form))
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
    arguments.map { Argument(binding: $0.binding + count, constant: $0.constant, form: $0.form) }
  }

  /// Returns the text as a part of a plan, `first` of whose constants come before those of the part; nil: the constants
  /// belong to it for good.
  func numbered(from first: Int?) -> SQLText {
    var text = self
    guard let first else {
      text.arguments = []
      return text
    }
    for index in arguments.indices { text.arguments[index].constant += first }
    return text
  }

  /// Returns the text with the values of other constants; nil where one of them has none of that form.
  func replacingArguments(by constants: [ShapedConstant]) -> SQLText? {
    var text = self
    for argument in arguments {
      precondition(argument.constant < constants.count, "plans of one shape have as many constants")
      guard let value = constants[argument.constant].binding(argument.form) else { return nil }
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
  /// Makes the value that a column of type `type` holds for a constant; nil where no single value of such a column compares
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

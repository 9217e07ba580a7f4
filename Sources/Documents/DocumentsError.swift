/// An error of the language, with the number and, but for values of clients, the words that MongoDB has for it.
public struct DocumentsError: Error, Hashable, Sendable {
  public let code: Code
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// A number of MongoDB's `error_codes.yml`; those that are only a place in its source are `Location` and the number.
  public struct Code: Hashable, Sendable {
    public let number: Int
    public let name: String

    public static let badValue = Code(number: 2, name: "BadValue")
    public static let failedToParse = Code(number: 9, name: "FailedToParse")
    public static let typeMismatch = Code(number: 14, name: "TypeMismatch")
    public static let overflow = Code(number: 15, name: "Overflow")
    public static let indexNotFound = Code(number: 27, name: "IndexNotFound")
    public static let pathNotViable = Code(number: 28, name: "PathNotViable")
    public static let conflictingUpdateOperators = Code(number: 40, name: "ConflictingUpdateOperators")
    public static let dollarPrefixedFieldName = Code(number: 52, name: "DollarPrefixedFieldName")
    public static let notSingleValueField = Code(number: 54, name: "NotSingleValueField")
    public static let emptyFieldName = Code(number: 56, name: "EmptyFieldName")
    public static let immutableField = Code(number: 66, name: "ImmutableField")
    public static let invalidOptions = Code(number: 72, name: "InvalidOptions")
    public static let commandNotSupported = Code(number: 115, name: "CommandNotSupported")
    public static let conversionFailure = Code(number: 241, name: "ConversionFailure")
    public static let operationNotSupportedInTransaction = Code(
      number: 263, name: "OperationNotSupportedInTransaction")
    public static let exceededTimeLimit = Code(number: 50, name: "MaxTimeMSExpired")
    public static let exceededMemoryLimit = Code(
      number: 292, name: "QueryExceededMemoryLimitNoDiskUseAllowed")

    public static func location(_ number: Int) -> Code { Code(number: number, name: "Location\(number)") }
  }

  static func badValue(_ message: String) -> DocumentsError { DocumentsError(.badValue, message) }

  static func failedToParse(_ message: String) -> DocumentsError { DocumentsError(.failedToParse, message) }

  static func typeMismatch(_ message: String) -> DocumentsError { DocumentsError(.typeMismatch, message) }

  static func at(_ location: Int, _ message: String) -> DocumentsError {
    DocumentsError(.location(location), message)
  }
}

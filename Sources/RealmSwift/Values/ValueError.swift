/// The text that is no value of the type that it should be read as.
public enum ValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text has not 24 hexadecimal digits.
  case invalidObjectId(String)

  /// Realm's text of the error.
  public var description: String {
    switch self {
    case .invalidObjectId(let text): "Invalid Object ID string '\(text)': must be 24 hex digits"
    }
  }
}

/// A value with one text form in ASCII, read and written as bytes.
///
/// `description` is that text, and `init?(_:)` reads what the byte reader reads.
public protocol TextRepresentable: LosslessStringConvertible, Sendable {
  /// The value of a text, or nil if it is malformed.
  init?(text: UnsafeBufferPointer<UInt8>)
  /// Appends the text form.
  func appendText(to bytes: inout [UInt8])
}

extension TextRepresentable {
  /// The value of a text, or nil if it is malformed.
  public init?(_ text: String) {
    var text = text
    guard let value = text.withUTF8({ Self(text: $0) }) else { return nil }
    self = value
  }

  /// The text form.
  public var description: String {
    var bytes: [UInt8] = []
    appendText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

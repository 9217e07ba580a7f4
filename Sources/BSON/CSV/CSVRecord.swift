/// The fields of a record of CSV (RFC 4180).
public struct CSVRecord: Hashable, Sendable {
  /// A field: its text, and whether it stood in quotes, by which an empty text differs from none.
  public struct Field: Hashable, Sendable {
    public let text: String
    public let isQuoted: Bool

    public init(_ text: String, isQuoted: Bool = false) {
      self.text = text
      self.isQuoted = isQuoted
    }
  }

  /// More fields than any class has properties, those of embedded objects included.
  public static let mostFields = 100_000

  public let fields: [Field]

  /// Reads a record, without the line break at its end. `count` is the number of fields that it must have; nil: any.
  ///
  /// Spaces are part of a field, and a line break in quotes stays as it is.
  public init(_ record: ArraySlice<UInt8>, count: Int? = nil) throws(CSVError) {
    fields = try record.withUnsafeBufferPointer { (bytes) throws(CSVError) in
      if let offset = UTF8.offsetOfMalformed(in: bytes) { throw CSVError(.malformedUTF8, at: offset) }
      var parser = CSVParser(bytes: bytes, count: count)
      return try parser.fields()
    }
  }
}

private struct CSVParser {
  let bytes: UnsafeBufferPointer<UInt8>
  /// The number of fields that there must be; nil: any.
  let count: Int?
  private var position = 0

  init(bytes: UnsafeBufferPointer<UInt8>, count: Int?) {
    self.bytes = bytes
    self.count = count
  }

  mutating func fields() throws(CSVError) -> [CSVRecord.Field] {
    var fields: [CSVRecord.Field] = []
    fields.reserveCapacity(count ?? 8)
    while true {
      let start = position
      if let count, fields.count == count {
        throw CSVError(.fieldCount(expected: count, found: count + 1), at: start)
      }
      guard fields.count < CSVRecord.mostFields else {
        throw CSVError(.tooManyFields(limit: CSVRecord.mostFields), at: start)
      }
      let isQuoted = position < bytes.count && bytes[position] == UInt8(ascii: "\"")
      fields.append(isQuoted ? try quoted() : try unquoted())
      // A comma has one more field behind it, be it an empty one.
      guard position < bytes.count else { break }
      position += 1
    }
    if let count, fields.count < count {
      throw CSVError(.fieldCount(expected: count, found: fields.count), at: bytes.count)
    }
    return fields
  }

  /// Reads up to the next comma, or the end.
  private mutating func unquoted() throws(CSVError) -> CSVRecord.Field {
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: ",") {
      switch bytes[position] {
      case UInt8(ascii: "\""): throw CSVError(.quoteInField, at: position)
      case UInt8(ascii: "\r"): throw CSVError(.bareCarriageReturn, at: position)
      default: position += 1
      }
    }
    return CSVRecord.Field(text(start..<position))
  }

  /// Reads up to behind the quote that ends the field. Two quotes are one.
  private mutating func quoted() throws(CSVError) -> CSVRecord.Field {
    let opening = position
    position += 1
    var text = ""
    while true {
      let start = position
      while position < bytes.count, bytes[position] != UInt8(ascii: "\"") { position += 1 }
      guard position < bytes.count else { throw CSVError(.unterminatedQuote, at: opening) }
      text += self.text(start..<position)
      position += 1
      guard position < bytes.count, bytes[position] != UInt8(ascii: ",") else { break }
      guard bytes[position] == UInt8(ascii: "\"") else { throw CSVError(.textAfterQuote, at: position) }
      text += "\""
      position += 1
    }
    return CSVRecord.Field(text, isQuoted: true)
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}

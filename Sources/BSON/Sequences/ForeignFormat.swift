/// A format that bytes have which were taken for lines of JSON.
public enum ForeignFormat: Hashable, Sendable {
  case jsonArray
  case csv
  case bson
  case gzip

  /// Recognizes what is there in place of a first line of JSON; nil: nothing that is known.
  public init?(inPlaceOfLines bytes: ArraySlice<UInt8>) {
    let text = bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let (first, line) = (text.first, text.prefix(4096).prefix { $0 != 0x0A })
    if bytes.starts(with: [0x1F, 0x8B]) {
      self = .gzip
    } else if bytes.count >= 5, bytes.prefix(4).contains(0) {
      // The length of a document, which no text begins with.
      self = .bson
    } else if first == UInt8(ascii: "[") {
      self = .jsonArray
    } else if first != UInt8(ascii: "{"), line.contains(where: { [0x2C, 0x3B, 0x09].contains($0) }) {
      self = .csv
    } else {
      return nil
    }
  }
}

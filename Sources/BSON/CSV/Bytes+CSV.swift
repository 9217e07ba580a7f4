extension [UInt8] {
  /// Appends a field of CSV (RFC 4180); nil: no value, which is nothing between two commas. An empty text is a pair of
  /// quotes, so that it differs from none.
  public mutating func appendCSV(field text: String?) {
    guard var text else { return }
    text.withUTF8 { appendCSV($0) }
  }

  /// Appends the end of a record.
  public mutating func endCSVRecord() {
    append(0x0D)
    append(0x0A)
  }

  private mutating func appendCSV(_ text: UnsafeBufferPointer<UInt8>) {
    let needsQuotes =
      text.isEmpty
      || text.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0D || $0 == 0x0A }
      // Otherwise the first field of a file would be taken for a byte order mark.
      || text.starts(with: [0xEF, 0xBB, 0xBF])
    guard needsQuotes else { return append(text) }
    append(0x22)
    for byte in text {
      if byte == 0x22 { append(0x22) }
      append(byte)
    }
    append(0x22)
  }
}

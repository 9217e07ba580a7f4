extension ValueCount {
  /// Counts the values of a JSON text, or of several in lines. An empty container counts as one with a value in it.
  init(json text: UnsafeBufferPointer<UInt8>) {
    self.init()
    guard let bytes = text.baseAddress else { return }
    var position = 0
    while position < text.count, level < Self.depth {
      switch bytes[position] {
      case 0x22: position = Self.endOfString(bytes, from: position + 1, to: text.count)
      case 0x7B: begin(document: true)
      case 0x5B: begin(document: false)
      // Each comma ends a value, and so do the end of its container and, outside of all, that of its line.
      case 0x2C: add()
      case 0x7D, 0x5D:
        add()
        end()
      case 0x0A where level == 0: add()
      default: break
      }
      position += 1
    }
    while level > 0 {
      add()
      end()
    }
    add()
  }

  /// Returns the position of the quote that ends a string, or `end`.
  private static func endOfString(_ bytes: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int {
    var position = start
    while true {
      position = StringScan.firstSpecial(bytes, from: position, to: end).position
      guard position < end, bytes[position] != 0x22 else { return position }
      // A backslash and what it escapes; other characters that must be escaped are the reader's business.
      position += bytes[position] == 0x5C ? 2 : 1
    }
  }
}

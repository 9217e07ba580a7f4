import Glibc

/// Reads a file line by line, in large pieces.
struct LineReader: ~Copyable {
  private let file: InputFile
  private var buffer: [UInt8] = []
  /// Where in `buffer` the next line begins.
  private var start = 0
  /// Up to where `buffer` has been searched for the end of that line.
  private var searched = 0
  /// The number of the last line, from 1.
  private(set) var number = 0
  /// How many bytes the lines so far took.
  private(set) var offset = 0

  static let pieceSize = 1 << 20

  init(path: String) throws(CommandError) {
    file = try InputFile(path: path)
  }

  /// How much of the file has been read, from 0 to 1; nil where its size is unknown.
  var fraction: Double? {
    file.size.map { $0 == 0 ? 1 : Double(offset) / Double($0) }
  }

  /// The next line, without its line feed; nil at the end. A carriage return stays: to JSON it is a space.
  mutating func next() throws(CommandError) -> ArraySlice<UInt8>? {
    while true {
      if let end = lineFeed() { return line(upTo: end, next: end + 1) }
      searched = buffer.count
      guard try fill() else {
        return start < buffer.count ? line(upTo: buffer.count, next: buffer.count) : nil
      }
    }
  }

  private func lineFeed() -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard searched < bytes.count, let base = bytes.baseAddress,
        let found = memchr(base + searched, 0x0A, bytes.count - searched)
      else { return nil }
      return base.distance(to: UnsafeRawPointer(found))
    }
  }

  private mutating func line(upTo end: Int, next: Int) -> ArraySlice<UInt8> {
    defer {
      offset += next - start
      start = next
      searched = next
      number += 1
    }
    return buffer[start..<end]
  }

  private mutating func fill() throws(CommandError) -> Bool {
    buffer.removeFirst(start)
    searched -= start
    start = 0
    return try file.read(into: &buffer, limit: LineReader.pieceSize)
  }
}

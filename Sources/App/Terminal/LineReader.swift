import Glibc

/// Reads a file line by line, in large pieces.
struct LineReader: ~Copyable {
  private let file: InputFile
  private var buffer = [UInt8](repeating: 0, count: LineReader.pieceSize)
  /// Where in `buffer` the next line begins.
  private var start = 0
  /// Up to where `buffer` has been searched for the end of that line.
  private var searched = 0
  /// Up to where `buffer` holds what was read.
  private var end = 0
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
      if let feed = lineFeed() { return line(upTo: feed, next: feed + 1) }
      searched = end
      guard try fill() else { return start < end ? line(upTo: end, next: end) : nil }
    }
  }

  private func lineFeed() -> Int? {
    buffer.withUnsafeBytes { bytes in
      guard searched < end, let base = bytes.baseAddress,
        let found = memchr(base + searched, 0x0A, end - searched)
      else { return nil }
      return base.distance(to: UnsafeRawPointer(found))
    }
  }

  private mutating func line(upTo lineEnd: Int, next: Int) -> ArraySlice<UInt8> {
    defer {
      offset += next - start
      start = next
      searched = next
      number += 1
    }
    return buffer[start..<lineEnd]
  }

  /// Moves what is left to the front, and reads on behind it; false at the end of the file.
  private mutating func fill() throws(CommandError) -> Bool {
    if start > 0 { buffer.replaceSubrange(0..<(end - start), with: Array(buffer[start..<end])) }
    (searched, end, start) = (searched - start, end - start, 0)
    if end == buffer.count { buffer += [UInt8](repeating: 0, count: buffer.count) }
    // Taken out, since `file` cannot be used while a member of `self` is being changed.
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    defer { swap(&bytes, &buffer) }
    let count = try bytes.withUnsafeMutableBytes { bytes in
      file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
    }.get()
    end += count
    return count > 0
  }
}

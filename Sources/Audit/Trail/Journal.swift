import GatehouseStorage

/// An append-only sequence of bytes, read back from anywhere: the latest of them in memory, all before in a file.
struct Journal {
  /// Bytes kept in memory.
  static let inMemory = 1 << 20

  /// Makes the file when it is first needed.
  private let makeSpool: @Sendable () throws -> Spool
  private var spool: Spool?
  private var tail: [UInt8] = []

  init(_ makeSpool: @escaping @Sendable () throws -> Spool) {
    self.makeSpool = makeSpool
  }

  /// The number of bytes in the file.
  var fileSize: Int { spool?.count ?? 0 }
  /// The number of bytes in memory.
  var bufferedSize: Int { tail.count }

  /// Appends bytes and returns their range.
  mutating func append(_ bytes: [UInt8]) throws -> Range<Int> {
    let start = fileSize + tail.count
    tail += bytes
    if tail.count > Journal.inMemory {
      let file = try spool ?? makeSpool()
      try file.append(tail)
      spool = file
      tail.removeAll(keepingCapacity: true)
    }
    precondition(fileSize + tail.count == start + bytes.count, "what is appended is behind all that was")
    return start..<start + bytes.count
  }

  func bytes(_ range: Range<Int>) throws -> [UInt8] {
    precondition(range.upperBound <= fileSize + tail.count, "what is read back was appended")
    precondition(
      range.lowerBound >= fileSize || range.upperBound <= fileSize,
      "what was appended at once is in the file as a whole, or not at all")
    if range.lowerBound >= fileSize {
      return Array(tail[(range.lowerBound - fileSize)..<(range.upperBound - fileSize)])
    }
    return try spool?.bytes(at: range.lowerBound, count: range.count) ?? []
  }
}

/// A digest of a key that tells most keys of a document apart in one comparison, so that repeated keys are found
/// cheaply.
struct KeyMark {
  /// Equal for equal keys; below ``wordSize`` bytes for no others, beyond that nothing keeps an enemy from
  /// making it equal for others too.
  let filter: UInt64
  /// Where the key is, in the text.
  let offset: Int

  static let wordSize = 8

  @inline(__always)
  init(_ key: UnsafeBufferPointer<UInt8>, offset: Int) {
    self.offset = offset
    guard let base = UnsafeRawPointer(key.baseAddress), key.count >= Self.wordSize else {
      var word = UInt64(key.count + 1)
      for byte in key { word = word << 8 | UInt64(byte) }
      filter = word
      return
    }
    let first = base.loadUnaligned(as: UInt64.self)
    let last = base.loadUnaligned(fromByteOffset: key.count - Self.wordSize, as: UInt64.self)
    filter = (first &* 0x9E37_79B9_7F4A_7C15 ^ last ^ UInt64(key.count)) | 1 << 63
  }

  /// Beyond this number of keys, comparing all pairs costs more than a table.
  private static let many = 16

  /// Where the second of two equal keys is, or nil.
  @inline(__always)
  static func offsetOfDuplicate(
    in marks: borrowing ScratchStack<KeyMark>, from firstMark: Int,
    keys: borrowing ScratchStack<Document.Element>, from first: Int
  ) -> Int? {
    let count = marks.count - firstMark
    precondition(firstMark >= 0, "each key of a document has its mark")
    if count > many {
      guard mayRepeat(marks, from: firstMark, count: count) else { return nil }
      return offsetOfDuplicateOfMany(in: marks, from: firstMark, keys: keys, from: first)
    }
    for later in 0..<count {
      let mark = marks[firstMark + later]
      for earlier in 0..<later where marks[firstMark + earlier].filter == mark.filter {
        if keys[first + earlier].key.hasSameBytes(as: keys[first + later].key) { return mark.offset }
      }
    }
    return nil
  }

  /// Whether two filters are equal, or so many alike that only exact work can tell.
  private static func mayRepeat(
    _ marks: borrowing ScratchStack<KeyMark>, from first: Int, count: Int
  ) -> Bool {
    let bits = Int.bitWidth - count.leadingZeroBitCount + 1
    return withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 1 << bits) { table in
      table.initialize(repeating: 0)
      for index in first..<first + count {
        let filter = marks[index].filter
        var slot = Int(truncatingIfNeeded: (filter &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
        var probes = 0
        while table[slot] != 0 {
          if table[slot] == filter || probes == many { return true }
          slot = (slot + 1) & (table.count - 1)
          probes += 1
        }
        table[slot] = filter
      }
      return false
    }
  }

  private static func offsetOfDuplicateOfMany(
    in marks: borrowing ScratchStack<KeyMark>, from firstMark: Int,
    keys: borrowing ScratchStack<Document.Element>, from first: Int
  ) -> Int? {
    var seen = Set<KeyBytes>(minimumCapacity: marks.count - firstMark)
    for index in 0..<marks.count - firstMark
    where !seen.insert(KeyBytes(keys[first + index].key)).inserted {
      return marks[firstMark + index].offset
    }
    return nil
  }
}

/// A key compared by its bytes. `String` takes canonically equivalent texts for equal.
private struct KeyBytes: Hashable {
  let key: String

  init(_ key: String) {
    self.key = key
  }

  static func == (left: KeyBytes, right: KeyBytes) -> Bool {
    left.key.hasSameBytes(as: right.key)
  }

  func hash(into hasher: inout Hasher) {
    var key = key
    key.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

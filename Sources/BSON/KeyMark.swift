/// What tells most keys of a document apart at one glance, so that repeated keys are found cheaply.
struct KeyMark {
  /// Equal for equal keys; nothing keeps an enemy from making it equal for others too.
  let filter: UInt64
  /// Where the key is, in the text.
  let offset: Int

  @inline(__always)
  init(_ key: UnsafeBufferPointer<UInt8>, offset: Int) {
    self.offset = offset
    guard let base = UnsafeRawPointer(key.baseAddress), key.count >= 8 else {
      var word: UInt64 = 0
      for byte in key { word = word << 8 | UInt64(byte) }
      filter = word ^ UInt64(key.count) << 56
      return
    }
    let first = base.loadUnaligned(as: UInt64.self)
    let last = base.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self)
    filter = first &* 0x9E37_79B9_7F4A_7C15 ^ last ^ UInt64(key.count)
  }

  /// From this number of keys on, comparing all pairs costs more than a set, however alike they are.
  private static let many = 16

  /// Where the second of two equal keys is, or nil.
  @inline(__always)
  static func offsetOfDuplicate(
    in marks: borrowing ScratchStack<KeyMark>, from firstMark: Int,
    keys: borrowing ScratchStack<Document.Element>, from first: Int
  ) -> Int? {
    let count = marks.count - firstMark
    if count > many {
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
    for byte in key.utf8 { hasher.combine(byte) }
  }
}

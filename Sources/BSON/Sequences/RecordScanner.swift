/// Finds where each of many objects ends, in bytes that come piece by piece: so only one of them must be in memory.
///
/// It does not check the inside of a record: of a malformed one it finds the end all the same, where that can be told. It
/// remembers how far it has looked, so that a record which comes in many pieces is looked through once.
public struct RecordScanner: Sendable {
  /// A record in the bytes.
  public struct Extent: Hashable, Sendable {
    /// The record, without what separates it from others.
    public let content: Range<Int>
    /// Where the next one begins.
    public let next: Int
    /// The line on which it begins, from 1; of BSON nothing.
    public internal(set) var line = 0

    init(content: Range<Int>, next: Int) {
      self.content = content
      self.next = next
    }
  }

  private enum State: Hashable, Sendable {
    case lines(searched: Int)
    case csv(CSVScan)
    case json(JSONScan)
    case bson
  }

  private var state: State
  /// The line on which what comes next begins, from 1.
  public private(set) var line = 1

  public init(_ format: SequenceFormat) {
    state =
      switch format {
      case .csv: .csv(CSVScan())
      case .json: .json(JSONScan())
      case .ndjson: .lines(searched: 0)
      case .bson: .bson
      }
  }

  /// Returns the record at the front of `bytes`, which begin where the last one ended; nil: more bytes are needed, or,
  /// where these are all (`isWhole`), there is no other record.
  ///
  /// Throws where values of JSON are not separated as they must be, with the offset in `bytes`.
  public mutating func next(in bytes: ArraySlice<UInt8>, isWhole: Bool) throws(JSONError) -> Extent? {
    let start = bytes.startIndex
    let extent = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
      var extent = try next(in: bytes, isWhole: isWhole)
      if let found = extent {
        precondition(
          found.next > 0 && found.next <= bytes.count && found.content.upperBound <= found.next,
          "a record takes some of the bytes that are there")
        extent?.line = passLines(of: found, in: bytes)
      }
      precondition(
        searched <= bytes.count - (extent?.next ?? 0),
        "what was searched is there, and a record that was found is searched no more")
      return extent
    }
    return extent.map { extent in
      var placed = Extent(
        content: start + extent.content.lowerBound..<start + extent.content.upperBound,
        next: start + extent.next)
      placed.line = extent.line
      return placed
    }
  }

  /// The bytes behind the last record that need no more searching.
  private var searched: Int {
    switch state {
    case .lines(let searched): searched
    case .csv(let scan): scan.searched
    case .json(let scan): scan.searched
    case .bson: 0
    }
  }

  /// Counts the lines up to the next record, and returns that on which this one begins.
  private mutating func passLines(of extent: Extent, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    switch state {
    case .bson: return 0
    case .lines, .csv, .json:
      let first = line + bytes[..<extent.content.lowerBound].count { $0 == 0x0A }
      line = first + bytes[extent.content.lowerBound..<extent.next].count { $0 == 0x0A }
      return first
    }
  }

  private mutating func next(
    in bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool
  ) throws(JSONError) -> Extent? {
    switch state {
    case .lines(let searched):
      let end = bytes[searched...].firstIndex(of: 0x0A)
      state = .lines(searched: end == nil ? bytes.count : 0)
      if let end { return Extent(content: 0..<end, next: end + 1) }
      guard isWhole, !bytes.isEmpty else { return nil }
      state = .lines(searched: 0)
      return Extent(content: 0..<bytes.count, next: bytes.count)
    case .csv(var scan):
      defer { state = .csv(scan) }
      return scan.next(in: bytes, isWhole: isWhole)
    case .json(var scan):
      defer { state = .json(scan) }
      return try scan.next(in: bytes, isWhole: isWhole)
    case .bson:
      return RecordScanner.document(in: bytes, isWhole: isWhole)
    }
  }

  /// A document says its length in its first four bytes. One that says what cannot be is these bytes; one that is too short is all
  /// the rest.
  private static func document(in bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) -> Extent? {
    if bytes.count >= 4 {
      let length = (0..<4).reversed().reduce(into: Int32(0)) { $0 = $0 << 8 | Int32(bytes[$1]) }
      if length < 5 { return Extent(content: 0..<4, next: 4) }
      if length <= bytes.count { return Extent(content: 0..<Int(length), next: Int(length)) }
    }
    return isWhole && !bytes.isEmpty ? Extent(content: 0..<bytes.count, next: bytes.count) : nil
  }
}

/// Finds the ends of CSV's records: line feeds that are not in quotes.
///
///     start ──quote──▶ quoted ──quote──▶ closed ──quote──▶ quoted
///       └──other──▶ plain                  └──other──▶ plain         a comma ──▶ start, a line feed ──▶ end
struct CSVScan: Hashable, Sendable {
  private enum Place: Hashable, Sendable { case start, plain, quoted, closed }

  private var place = Place.start
  private(set) var searched = 0
  /// Whether there was no record yet, so that a byte order mark may stand there.
  private var isFirst = true

  mutating func next(in bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool) -> RecordScanner.Extent? {
    while searched < bytes.count {
      let byte = bytes[searched]
      if byte == 0x0A, place != .quoted { return end(at: searched, next: searched + 1, bytes) }
      pass(byte)
      searched += 1
      // The mark is no part of the first field.
      if isFirst, searched == 3, bytes.starts(with: CSVScan.byteOrderMark) { place = .start }
    }
    return isWhole && !bytes.isEmpty ? end(at: bytes.count, next: bytes.count, bytes) : nil
  }

  private mutating func pass(_ byte: UInt8) {
    switch (place, byte) {
    case (.quoted, 0x22): place = .closed
    case (.quoted, _): break
    case (.start, 0x22), (.closed, 0x22): place = .quoted
    case (_, 0x2C): place = .start
    case (_, _): place = .plain
    }
  }

  private mutating func end(
    at end: Int, next: Int, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> RecordScanner.Extent {
    let hasMark = isFirst && end >= 3 && bytes.starts(with: CSVScan.byteOrderMark)
    let start = hasMark ? 3 : 0
    let hasReturn = end > start && bytes[end - 1] == 0x0D && place != .quoted
    (place, searched, isFirst) = (.start, 0, false)
    return RecordScanner.Extent(content: start..<(hasReturn ? end - 1 : end), next: next)
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}

/// Finds the ends of values in a JSON array, or of values that follow each other.
struct JSONScan: Hashable, Sendable {
  private enum Place: Hashable, Sendable {
    /// Nothing was seen yet but white space.
    case beginning
    /// Between values; in an array a comma or its end comes next.
    case between(isArray: Bool)
    /// In an array, where a value must come, or, if it is the first, the end.
    case before(isFirst: Bool)
    case end
    case value(Nesting)
  }

  /// A value that has begun.
  private struct Nesting: Hashable, Sendable {
    let start: Int
    let isInArray: Bool
    var depth = 0
    var isInString = false
    var isEscaped = false
  }

  private var place = Place.beginning
  private(set) var searched = 0

  mutating func next(
    in bytes: UnsafeBufferPointer<UInt8>, isWhole: Bool
  ) throws(JSONError) -> RecordScanner.Extent? {
    while searched < bytes.count {
      if case .value(var nesting) = place {
        let end = JSONScan.end(of: &nesting, in: bytes, &searched)
        place = .value(nesting)
        if let end { return finish(nesting, at: end) }
        continue
      }
      let byte = bytes[searched]
      if [0x20, 0x09, 0x0A, 0x0D].contains(byte) { searched += 1 } else { try begin(byte) }
    }
    guard isWhole else { return nil }
    switch place {
    case .value(let nesting): return finish(nesting, at: bytes.count)
    case .between(isArray: true), .before: throw JSONError(.unexpectedEnd, at: bytes.count)
    case .beginning, .between(isArray: false), .end: return nil
    }
  }

  /// Takes a byte between values that is no white space.
  private mutating func begin(_ byte: UInt8) throws(JSONError) {
    switch (place, byte) {
    case (.beginning, UInt8(ascii: "[")): (place, searched) = (.before(isFirst: true), searched + 1)
    case (.between(isArray: true), UInt8(ascii: ",")):
      (place, searched) = (.before(isFirst: false), searched + 1)
    case (.between(isArray: true), UInt8(ascii: "]")), (.before(isFirst: true), UInt8(ascii: "]")):
      (place, searched) = (.end, searched + 1)
    case (.between(isArray: true), _): throw JSONError(.expectedCommaOrEnd, at: searched)
    case (.end, _): throw JSONError(.trailingBytes, at: searched)
    case (.beginning, _), (.between(isArray: false), _), (.before, _), (.value, _):
      if JSONScan.delimiters.contains(byte) { throw JSONError(.expectedValue, at: searched) }
      var isInArray = false
      if case .before = place { isInArray = true }
      place = .value(Nesting(start: searched, isInArray: isInArray))
    }
  }

  private mutating func finish(_ nesting: Nesting, at end: Int) -> RecordScanner.Extent {
    (place, searched) = (.between(isArray: nesting.isInArray), 0)
    return RecordScanner.Extent(content: nesting.start..<end, next: end)
  }

  /// Looks on for the end of a value, and returns it; nil: it is not there yet.
  private static func end(
    of value: inout Nesting, in bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int
  ) -> Int? {
    while position < bytes.count {
      let byte = bytes[position]
      if value.isInString {
        position += 1
        if value.isEscaped {
          value.isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          value.isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          value.isInString = false
          if value.depth == 0 { return position }
        }
        continue
      }
      switch byte {
      // Two values without anything between are two records: who reads the second is told where it begins.
      case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
        if value.depth == 0, position > value.start { return position }
        if byte == UInt8(ascii: "\"") { value.isInString = true } else { value.depth += 1 }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if value.depth == 0 { return position }
        value.depth -= 1
        if value.depth == 0 {
          position += 1
          return position
        }
      case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
        if value.depth == 0 { return position }
      default: break
      }
      position += 1
    }
    return nil
  }

  private static let delimiters: [UInt8] = Array(",:]}".utf8)
}

import GatehouseBSON
import Glibc
import Synchronization

/// A time zone of expressions: a fixed offset, or one of the system's table (tzdata), which knows its summers.
struct TimeZone: Sendable {
  private enum Kind: Sendable {
    /// Seconds east of Greenwich.
    case fixed(Int)
    case named(ZoneTable)
  }

  private let kind: Kind

  static let utc = TimeZone(offset: 0)

  init(offset: Int) { kind = .fixed(offset) }

  init(_ table: ZoneTable) { kind = .named(table) }

  /// Reads the argument of a function; UTC where there is none.
  init(_ value: Value?, _ name: String) throws(DocumentsError) {
    guard let value else {
      self = .utc
      return
    }
    guard case .string(let text) = value else {
      throw .at(40517, "timezone must evaluate to a string, found \(value.typeName)")
    }
    if let seconds = TimeZone.seconds(text) {
      self.init(offset: seconds)
    } else if let table = ZoneTable.named(text) {
      self.init(table)
    } else {
      throw .at(40485, "unrecognized time zone identifier in \(name)")
    }
  }

  /// The seconds of a fixed offset such as `+02:00`, or of a name of UTC.
  static func seconds(_ text: String) -> Int? {
    if ["UTC", "GMT", "Z", "Etc/UTC", "Etc/GMT", "Etc/Universal", "Zulu", "Universal"].contains(text) {
      return 0
    }
    guard let sign = text.utf8.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
      return nil
    }
    let digits = text.utf8.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard digits.allSatisfy({ $0 &- 0x30 < 10 }), digits.count == 2 || digits.count == 4 else { return nil }
    let numbers = digits.map { Int($0) - 0x30 }
    let hours = numbers[0] * 10 + numbers[1]
    let minutes = numbers.count == 4 ? numbers[2] * 10 + numbers[3] : 0
    return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  /// Seconds east of Greenwich at a time.
  func offset(at date: Date) -> Int {
    switch kind {
    case .fixed(let offset): offset
    case .named(let table): table.offset(at: date.seconds)
    }
  }

  /// The date that a clock of UTC would show for what clocks show here.
  func local(_ date: Date) -> Date {
    Date(milliseconds: date.milliseconds &+ Int64(offset(at: date)) &* 1000)
  }

  /// The date at which clocks here show what those of UTC show at another: of two, the first; in a gap, as if clocks had not been
  /// put forward yet.
  func date(ofLocal local: Date) -> Date {
    func shifted(_ offset: Int) -> Date { Date(milliseconds: local.milliseconds &- Int64(offset) &* 1000) }
    switch kind {
    case .fixed(let offset): return shifted(offset)
    case .named(let table):
      // No zone changes twice within two days.
      let offsets = [-86_400, 86_400].map { table.offset(at: local.seconds &+ Int64($0)) }
      let dates = offsets.map(shifted)
      let right = zip(offsets, dates).filter { table.offset(at: $1.seconds) == $0 }.map(\.1)
      return right.min { $0.milliseconds < $1.milliseconds } ?? dates[0]
    }
  }
}

/// A zone of the system's table, in the format of RFC 8536.
struct ZoneTable: Sendable {
  private static let folder = "/usr/share/zoneinfo/"
  private static let known = Mutex<[String: ZoneTable]>([:])
  /// There are some 600 names.
  private static let mostKnown = 1_000

  /// The times from which on another offset holds, in seconds, and the offsets; the first offset is that of before.
  private let times: [Int64]
  private let offsets: [Int]
  /// The offsets after the last time.
  private let rule: ZoneRule?

  /// Returns a zone such as `Europe/Berlin`; nil: the system knows none of that name.
  static func named(_ name: String) -> ZoneTable? {
    if let zone = known.withLock({ $0[name] }) { return zone }
    let isName =
      name.utf8.count <= 64 && !name.hasPrefix("/") && !name.contains("..")
      && name.utf8.allSatisfy { byte in
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || "/_+-".utf8.contains(byte)
      }
    guard isName, let zone = ZoneTable(contentsOf: folder + name) else { return nil }
    known.withLock { if $0.count < mostKnown { $0[name] = zone } }
    return zone
  }

  private init?(contentsOf path: String) {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    self.init(Array(bytes[..<count]))
  }

  /// Reads the second block of a file, which has times of 64 bits, and the rule behind it.
  init?(_ bytes: [UInt8]) {
    guard let first = ZoneHeader(bytes, at: 0), bytes.count > 4, bytes[4] >= UInt8(ascii: "2"),
      let header = ZoneHeader(bytes, at: ZoneHeader.size + first.length(ofTime: 4))
    else { return nil }
    let start = ZoneHeader.size * 2 + first.length(ofTime: 4)
    let end = start + header.length(ofTime: 8)
    guard bytes.count >= end, header.types > 0 else { return nil }
    func number(_ place: Int, _ size: Int) -> Int64 {
      var number = bytes[place] & 0x80 != 0 ? Int64(-1) : 0
      for byte in bytes[place..<place + size] { number = number << 8 | Int64(byte) }
      return number
    }
    let indices = start + header.times * 8
    let types = indices + header.times
    let all = (0..<header.types).map { Int(number(types + $0 * 6, 4)) }
    times = (0..<header.times).map { number(start + $0 * 8, 8) }
    var offsets = [all[0]]
    for index in 0..<header.times {
      let type = Int(bytes[indices + index])
      guard all.indices.contains(type) else { return nil }
      offsets.append(all[type])
    }
    self.offsets = offsets
    let footer = bytes[end...].drop { $0 == 0x0A }.prefix { $0 != 0x0A }
    rule = ZoneRule(String(decoding: footer, as: UTF8.self))
  }

  /// Seconds east of Greenwich at a time, in seconds.
  func offset(at time: Int64) -> Int {
    if let last = times.last, time >= last, let rule { return rule.offset(at: time) }
    if times.isEmpty, let rule { return rule.offset(at: time) }
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return offsets[low]
  }
}

/// The head of a block (RFC 8536 §3.1).
private struct ZoneHeader {
  static let size = 44

  let times: Int
  let types: Int
  private let letters: Int
  private let leaps: Int
  private let standards: Int
  private let universals: Int

  init?(_ bytes: [UInt8], at start: Int) {
    guard bytes.count >= start + ZoneHeader.size, Array(bytes[start..<start + 4]) == Array("TZif".utf8) else {
      return nil
    }
    let counts = (0..<6).map { index in
      bytes[start + 20 + index * 4..<start + 24 + index * 4].reduce(0) { $0 << 8 | Int($1) }
    }
    guard counts.allSatisfy({ $0 < 1 << 16 }) else { return nil }
    (universals, standards, leaps, times, types, letters) = (
      counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]
    )
  }

  /// The bytes behind the head, where times have so many.
  func length(ofTime size: Int) -> Int {
    times * (size + 1) + types * 6 + letters + leaps * (size + 4) + standards + universals
  }
}

/// The offsets of all times to come: the variable `TZ` of POSIX, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Sendable {
  /// A day of the year, and seconds from its begin.
  private enum Change: Sendable {
    /// The week of a month, of which 5 is the last, and the day of the week.
    case weekday(month: Int, week: Int, day: Int, time: Int)
    /// From 1 on; February 29 is never counted.
    case julian(Int, time: Int)
    /// From 0 on.
    case day(Int, time: Int)
  }

  private let standard: Int
  private var summer: (offset: Int, begin: Change, end: Change)?

  /// Nil where the text is no such rule.
  init?(_ text: String) {
    var reader = RuleReader(text)
    guard reader.skipName(), let offset = reader.time() else { return nil }
    standard = -offset
    if reader.isAtEnd { return }
    guard reader.skipName() else { return nil }
    let other = reader.next == "," ? standard + 3600 : reader.time().map { -$0 }
    guard let other, reader.take(","), let begin = Self.change(&reader), reader.take(","),
      let end = Self.change(&reader), reader.isAtEnd
    else { return nil }
    summer = (other, begin, end)
  }

  private static func change(_ reader: inout RuleReader) -> Change? {
    if reader.take("M") {
      guard let month = reader.number(), reader.take("."), let week = reader.number(), reader.take("."),
        let day = reader.number(), 1...12 ~= month, 1...5 ~= week, 0...6 ~= day, let time = time(&reader)
      else { return nil }
      return .weekday(month: month, week: week, day: day, time: time)
    }
    if reader.take("J") {
      guard let day = reader.number(), let time = time(&reader) else { return nil }
      return .julian(day, time: time)
    }
    guard let day = reader.number(), let time = time(&reader) else { return nil }
    return .day(day, time: time)
  }

  private static func time(_ reader: inout RuleReader) -> Int? { reader.take("/") ? reader.time() : 7_200 }

  func offset(at time: Int64) -> Int {
    guard let summer else { return standard }
    let year = DateParts.civil(DateParts.floored(Int(time) + standard, by: 86_400)).year
    let begin = Self.seconds(of: summer.begin, in: year) - standard
    let end = Self.seconds(of: summer.end, in: year) - summer.offset
    let isSummer = begin < end ? begin <= Int(time) && Int(time) < end : Int(time) < end || begin <= Int(time)
    return isSummer ? summer.offset : standard
  }

  /// The seconds that a clock there shows, counted from 1970.
  private static func seconds(of change: Change, in year: Int) -> Int {
    switch change {
    case .julian(let day, let time):
      let isLate = day >= 60 && DateParts.daysInMonth(2, of: year) == 29
      return (DateParts.days(year: year, month: 1, day: 1) + day - 1 + (isLate ? 1 : 0)) * 86_400 + time
    case .day(let day, let time): return (DateParts.days(year: year, month: 1, day: 1) + day) * 86_400 + time
    case .weekday(let month, let week, let day, let time):
      let first = DateParts.days(year: year, month: month, day: 1)
      // 1970-01-01 was a Thursday.
      let weekday = first + 4 - DateParts.floored(first + 4, by: 7) * 7
      var date = first + (day - weekday + 7) % 7 + (week - 1) * 7
      while date >= first + DateParts.daysInMonth(month, of: year) { date -= 7 }
      return date * 86_400 + time
    }
  }
}

/// Reads the pieces of a rule.
private struct RuleReader {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  var next: Character? { rest.first }
  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  /// Letters, or anything in angle brackets.
  mutating func skipName() -> Bool {
    if take("<") {
      guard let end = rest.firstIndex(of: ">") else { return false }
      rest = rest[rest.index(after: end)...]
      return true
    }
    let name = rest.prefix { $0.isLetter }
    rest = rest.dropFirst(name.count)
    return name.count >= 3
  }

  mutating func number() -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(digits.count)
    return digits.count <= 4 ? Int(digits) : nil
  }

  /// Hours, minutes and seconds, in seconds.
  mutating func time() -> Int? {
    let isNegative = take("-")
    if !isNegative { _ = take("+") }
    guard let hours = number() else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] where take(":") {
      guard let part = number() else { return nil }
      seconds += part * unit
    }
    return isNegative ? -seconds : seconds
  }
}

/// Reads the events of a stream (WHATWG HTML, §9.2), as they come in pieces.
struct EventParser {
  /// An event: its type, and its data as Realm's servers escape it.
  struct Event: Hashable {
    var type = ""
    var data = ""
  }

  /// The most bytes of an event.
  static let sizeLimit = 64 << 20

  private var line: [UInt8] = []
  /// The bytes of the event's lines that are complete.
  private var size = 0
  /// Whether an event has more bytes than it may: nothing is read any more.
  private(set) var isTooLarge = false
  private var type = ""
  private var data: [String] = []
  private var isAfterReturn = false

  /// Returns the events that are complete with a piece.
  mutating func take(_ piece: [UInt8]) -> [Event] {
    var events: [Event] = []
    if isTooLarge { return events }
    for byte in piece {
      let isReturn = byte == UInt8(ascii: "\r")
      defer { isAfterReturn = isReturn }
      if byte == UInt8(ascii: "\n"), isAfterReturn { continue }
      guard isReturn || byte == UInt8(ascii: "\n") else {
        line.append(byte)
        if size + line.count > Self.sizeLimit { isTooLarge = true }
        if isTooLarge { return events }
        continue
      }
      size += line.count
      precondition(size <= Self.sizeLimit, "an event is bounded: \(size) bytes")
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    let text = String(decoding: line, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    guard text.isEmpty else {
      take(line: text)
      return nil
    }
    defer { (type, data, size) = ("", [], 0) }
    return data.isEmpty ? nil : Event(type: type, data: EventParser.unescaped(data.joined(separator: "\n")))
  }

  /// Takes a field; a line that begins with a colon is a comment.
  private mutating func take(line text: String) {
    let name = text.prefix { $0 != ":" }
    var value = text.dropFirst(name.count + 1)
    if value.first == " " { value.removeFirst() }
    switch name {
    case "event": type = String(value)
    case "data": data.append(String(value))
    default: break
    }
  }

  /// The text with line ends and percent signs in place of what stands for them; other escapes stay.
  static func unescaped(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let parts = text.split(separator: "%", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: String(parts[0])) { result, part in
      switch part.prefix(2) {
      case "25": result += "%" + part.dropFirst(2)
      case "0A": result += "\n" + part.dropFirst(2)
      case "0D": result += "\r" + part.dropFirst(2)
      default: result += "%" + part
      }
    }
  }
}

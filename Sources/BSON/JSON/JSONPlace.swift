/// Finds the places of values in a JSON text, for errors about files that people write.
public enum JSONPlace {
  /// A step from a value into one that it holds.
  public enum Step: Hashable, Sendable {
    case name(String)
    /// Counted from 0.
    case index(Int)
  }

  /// Returns the line, from 1, of the name of the member, or of the start of the element, to which the path leads; nil if it
  /// is not there. The text must be JSON.
  public static func line(of path: [Step], in text: [UInt8]) -> Int? {
    var scanner = PlaceScanner(text: text)
    return scanner.offset(of: path[...]).map { offset in text[..<offset].count { $0 == 0x0A } + 1 }
  }

  /// Returns the line, from 1, of a member at a path of names through objects.
  public static func line(of names: [String], in text: [UInt8]) -> Int? {
    line(of: names.map(Step.name), in: text)
  }
}

/// Reads a JSON text only as far as it takes to pass what is not looked for.
private struct PlaceScanner {
  let text: [UInt8]
  private var index = 0

  init(text: [UInt8]) {
    self.text = text
  }

  /// The next byte that is no white space; 0 at the end.
  private mutating func peek() -> UInt8 {
    while index < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[index]) { index += 1 }
    return index < text.count ? text[index] : 0
  }

  mutating func offset(of path: ArraySlice<JSONPlace.Step>) -> Int? {
    guard let step = path.first else {
      _ = peek()
      return index
    }
    switch (step, peek()) {
    case (.name(let name), UInt8(ascii: "{")): return offset(ofMember: name, path.dropFirst())
    case (.index(let position), UInt8(ascii: "[")): return offset(ofElement: position, path.dropFirst())
    default: return nil
    }
  }

  private mutating func offset(ofMember name: String, _ rest: ArraySlice<JSONPlace.Step>) -> Int? {
    repeat {
      index += 1
      guard peek() == UInt8(ascii: "\"") else { return nil }
      let start = index
      passString()
      let isIt = text[start + 1..<max(start + 1, index - 1)].elementsEqual(name.utf8)
      guard peek() == UInt8(ascii: ":") else { return nil }
      index += 1
      if isIt { return rest.isEmpty ? start : offset(of: rest) }
      passValue()
    } while peek() == UInt8(ascii: ",")
    return nil
  }

  private mutating func offset(ofElement position: Int, _ rest: ArraySlice<JSONPlace.Step>) -> Int? {
    var count = 0
    repeat {
      index += 1
      guard peek() != UInt8(ascii: "]") else { return nil }
      if count == position { return offset(of: rest) }
      passValue()
      count += 1
    } while peek() == UInt8(ascii: ",")
    return nil
  }

  private mutating func passString() {
    index += 1
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    index = min(index + 1, text.count)
  }

  private mutating func passValue() {
    var depth = 0
    repeat {
      switch peek() {
      case 0: return
      case UInt8(ascii: "\""): passString()
      case UInt8(ascii: "{"), UInt8(ascii: "["): (depth, index) = (depth + 1, index + 1)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): (depth, index) = (depth - 1, index + 1)
      case UInt8(ascii: ","), UInt8(ascii: ":"): index += 1
      default: while index < text.count, !Self.delimiters.contains(text[index]) { index += 1 }
      }
    } while depth > 0
  }

  private static let delimiters = Set(",:{}[]\" \t\r\n".utf8)
}

/// Finds the places of members in a JSON text.
enum JSONPlace {
  /// Returns the line, from 1, of the name of the member at a path through objects; nil if it is not there. The text
  /// must be JSON.
  static func line(of path: [String], in text: [UInt8]) -> Int? {
    var depth = 0
    /// The number of names of the path that lead to the object being read.
    var found = 0
    var index = 0
    var isName = false
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "{"): (depth, isName) = (depth + 1, true)
      case UInt8(ascii: "["): (depth, isName) = (depth + 1, false)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth < found { return nil }
      case UInt8(ascii: ","): isName = depth == found + 1
      case UInt8(ascii: ":"): isName = false
      case UInt8(ascii: "\""):
        let start = index + 1
        index = end(ofStringFrom: start, in: text)
        if isName, depth == found + 1, text[start..<index].elementsEqual(path[found].utf8) {
          found += 1
          if found == path.count { return text[..<start].count { $0 == 0x0A } + 1 }
        }
      default: break
      }
      index += 1
    }
    return nil
  }

  private static func end(ofStringFrom start: Int, in text: [UInt8]) -> Int {
    var index = start
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, text.count)
  }
}

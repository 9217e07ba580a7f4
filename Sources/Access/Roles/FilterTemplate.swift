import GatehouseBSON

/// A filter in which `%%user.id` and the like have become arguments.
struct FilterTemplate: Hashable {
  /// A name that stands for a value.
  enum Expansion: Hashable {
    /// The names behind `%%user.`.
    case user([String])
    /// The ObjectID that the text is, `oid(%%user.id)`: a text equals no ObjectID where a class does not say which of them a
    /// value is.
    case objectID([String])
    /// `%%now`, the time of the request.
    case time
  }

  private static let prefix = Array("%%user.".utf8)
  private static let objectID = Array("oid(%%user.".utf8)
  private static let time = Array(Rule.time.utf8)

  let filter: String
  /// The expansions, one for each argument.
  let expansions: [Expansion]
  /// The places among them of those behind `IN`, where lists may stand.
  private let listPlaces: Set<Int>

  /// Reads a filter; its arguments are numbered from `firstArgument` on.
  init(_ text: String, firstArgument: Int = 0) {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var expansions: [Expansion] = []
    var listPlaces: Set<Int> = []
    var index = 0
    var quote: UInt8?
    while index < bytes.count {
      let byte = bytes[index]
      if let open = quote {
        if byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
          output.append(byte)
          index += 1
        } else if byte == open {
          quote = nil
        }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if let (expansion, end) = Self.expansion(at: index, in: bytes) {
        if Self.isBehindIn(index, in: bytes) { listPlaces.insert(expansions.count) }
        output += "$\(firstArgument + expansions.count)".utf8
        expansions.append(expansion)
        index = end
        continue
      }
      output.append(bytes[index])
      index += 1
    }
    precondition(listPlaces.allSatisfy(expansions.indices.contains), "what stands behind IN is an expansion")
    filter = String(decoding: output, as: UTF8.self)
    self.expansions = expansions
    self.listPlaces = listPlaces
  }

  /// Whether one of the values, of which each is that of an expansion, is a list and stands elsewhere than behind `IN`: RQL
  /// would compare each of its elements.
  func hasMisplacedList(among values: [Value]) -> Bool {
    precondition(values.count == expansions.count, "each value is that of one expansion")
    return values.indices.contains { place in
      if case .array = values[place] { !listPlaces.contains(place) } else { false }
    }
  }

  /// Whether the word before the place is `IN`.
  private static func isBehindIn(_ index: Int, in bytes: [UInt8]) -> Bool {
    let text = bytes[..<index]
    let end = (text.lastIndex { !$0.isSpace } ?? -1) + 1
    guard end >= 2, end < index else { return false }
    let word = bytes[(end - 2)..<end].map { $0 | 0x20 }
    return word == Array("in".utf8) && (end == 2 || !bytes[end - 3].isPathByte)
  }

  /// Returns the expansion that begins there and where it ends; nil if there is none.
  private static func expansion(at index: Int, in bytes: [UInt8]) -> (Expansion, end: Int)? {
    if bytes[index...].starts(with: prefix) {
      let (path, end) = path(at: index + prefix.count, in: bytes)
      return (.user(path), end)
    }
    if bytes[index...].starts(with: objectID), index == 0 || !bytes[index - 1].isPathByte {
      let (path, end) = path(at: index + objectID.count, in: bytes)
      return end < bytes.count && bytes[end] == UInt8(ascii: ")") ? (.objectID(path), end + 1) : nil
    }
    let end = index + time.count
    guard bytes[index...].starts(with: time), end == bytes.count || !bytes[end].isPathByte else { return nil }
    return (.time, end)
  }

  /// Returns the names of a path, and where it ends.
  private static func path(at index: Int, in bytes: [UInt8]) -> ([String], end: Int) {
    let names = bytes[index...].prefix(while: \.isPathByte)
    let path = names.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (path.map { String(decoding: $0, as: UTF8.self) }, names.endIndex)
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

  fileprivate var isPathByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

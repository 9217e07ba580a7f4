/// A filter in which `%%user.id` and the like have become arguments.
struct FilterTemplate: Hashable {
  private static let prefix = Array("%%user.".utf8)

  let filter: String
  /// The names behind `%%user.`, for each argument.
  let paths: [[String]]

  init(_ text: String) {
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    var paths: [[String]] = []
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
      } else if bytes[index...].starts(with: Self.prefix) {
        let names = bytes[(index + Self.prefix.count)...].prefix(while: \.isPathByte)
        output += "$\(paths.count)".utf8
        paths.append(
          names.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) })
        index = names.endIndex
        continue
      }
      output.append(bytes[index])
      index += 1
    }
    filter = String(decoding: output, as: UTF8.self)
    self.paths = paths
  }
}

extension UInt8 {
  fileprivate var isPathByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

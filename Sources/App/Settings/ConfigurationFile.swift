import GatehouseBSON
import Glibc

/// The file that holds settings: JSON, in which `//` begins a comment that ends with its line.
struct ConfigurationFile {
  let path: String
  let document: Document
  private let text: [UInt8]

  /// Reads the file that is named; nil where none is, and there is none at one of the places where they are looked for.
  init?(named path: String?, orOneOf places: [String]) throws {
    guard let path = path ?? places.first(where: { access($0, F_OK) == 0 }) else { return nil }
    try self.init(path: path, text: try InputFile.contents(of: path))
  }

  init(path: String, text: [UInt8]) throws {
    let text = ConfigurationFile.withoutComments(text)
    guard case .document(let document) = try JSONFile.value(of: text, at: path) else {
      throw CommandError.invalidValue(name: path, text: "…", expected: "a JSON object")
    }
    self.path = path
    self.document = document
    self.text = text
  }

  /// The names of all members, those of inner objects behind a dot.
  var names: [String] { Self.names(in: document) }

  private static func names(in document: Document) -> [String] {
    document.elements.flatMap { element in
      guard case .document(let inner) = element.value else { return [element.key] }
      return [element.key] + names(in: inner).map { "\(element.key).\($0)" }
    }
  }

  /// The file and the line of a member, in words.
  func place(of names: [String]) -> String {
    JSONPlace.line(of: names, in: text).map { "\(path), line \($0)" } ?? path
  }

  /// Puts spaces in the place of comments, so that everything else stays where it is.
  static func withoutComments(_ text: [UInt8]) -> [UInt8] {
    var text = text
    var (isString, index) = (false, 0)
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "\\") where isString: index += 1
      case UInt8(ascii: "\""): isString.toggle()
      case UInt8(ascii: "/") where !isString && text[index...].starts(with: "//".utf8):
        while index < text.count, text[index] != UInt8(ascii: "\n") {
          text[index] = UInt8(ascii: " ")
          index += 1
        }
      default: break
      }
      index += 1
    }
    return text
  }
}

internal import BSON

/// What programs ask for in lines, and the lines that answer it:
///
///     {"question": {"method": "GET", "target": "/v1/collections/Note?limit=2", "content"?: …}}
///     {"reply": {"status": 200, "content"?: …, "next"?: "/v1/…", "total"?: "12"}}
///     {"question": {"function": "sum", "arguments": [1, 2]}}      {"reply": {"result": 3}}
///     {"question": {"request": true}}                             {"reply": {"request": {…}}}
///
/// What cannot be answered is `{"reply": {"failure": {"message": …, "code"?: …}}}`.
enum LineQuestion {
  /// A line with a question begins with that, but for spaces.
  private static let beginning: [[UInt8]] = [Array("{".utf8), Array("\"question\"".utf8), Array(":".utf8)]

  /// Whether the line is a question rather than an answer.
  static func isOne(_ line: [UInt8]) -> Bool {
    var rest = line[...]
    for token in beginning {
      rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard rest.starts(with: token) else { return false }
      rest = rest.dropFirst(token.count)
    }
    return true
  }

  /// The same question as a worker that speaks frames has it; nil: it is none.
  static func document(_ line: [UInt8], asSystem: Bool) -> Document? {
    guard case .document(let whole)? = try? Value(json: line, limits: Limits(depth: 103)),
      whole.elements.count == 1, case .document(let question)? = whole["question"]
    else { return nil }
    let isSystem = Value.bool(asSystem)
    if let name = question["function"] {
      return [
        "question": .string("execute"), "name": name, "arguments": question["arguments"] ?? .array([]),
        "asSystem": isSystem,
      ]
    }
    if question["request"] == .bool(true) { return ["question": .string("request")] }
    guard let method = question["method"], let target = question["target"] else { return nil }
    var document: Document = [
      "question": .string("data"), "method": method, "target": target, "asSystem": isSystem,
      "isText": .bool(true), "counts": question["counts"] ?? .bool(false),
    ]
    if let content = question["content"] {
      document.append("content", .binary(Binary(bytes: content.extendedJSON)))
    }
    return document
  }

  /// The line that answers. The content is JSON already.
  static func line(_ reply: Document) -> [UInt8] {
    var line = Array(#"{"reply":{"#.utf8)
    for (index, element) in reply.elements.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      line += Value.string(element.key).plainJSON
      line.append(UInt8(ascii: ":"))
      if element.key == "content", case .binary(let content) = element.value {
        line += content.bytes.isEmpty ? Array("null".utf8) : content.bytes
      } else {
        line += element.value.plainJSON
      }
    }
    return line + "}}".utf8
  }
}

internal import GatehouseBSON

/// Translates questions of programs that speak lines, and the replies to them:
///
///     {"call": "0a1b…", "question": {"method": "GET", "target": "/v1/collections/Note?limit=2", "content"?: …}}
///     {"call": "0a1b…", "reply": {"status": 200, "content"?: …, "next"?: "/v1/…", "total"?: "12"}}
///     {"call": "0a1b…", "question": {"function": "sum", "arguments": [1, 2]}}
///     {"call": "0a1b…", "reply": {"result": 3}}
///     {"call": "0a1b…", "question": {"request": true}}
///     {"call": "0a1b…", "reply": {"request": {…}}}
///
/// The reply to a question that cannot be answered is `{"call": …, "reply": {"failure": {"message": …, "code"?: …}}}`.
enum LineQuestion {
  /// Returns the question as a worker that speaks frames would send it; nil if the line is none.
  static func document(_ line: [UInt8], asSystem: Bool) -> Document? {
    guard case .document(let whole)? = try? Value(json: line, limits: Limits(depth: 103)),
      whole.elements.count == 2, case .document(let question)? = whole["question"]
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

  /// Encodes the reply to a question as a line; `call` is nil if the question named none. The content is JSON
  /// already.
  static func line(_ reply: Document, to call: CallID?) -> [UInt8] {
    var line = Array((call.map { #"{"call":"\#($0.text)","# } ?? "{").utf8)
    line += #""reply":{"#.utf8
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

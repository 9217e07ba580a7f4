internal import GatehouseBSON

/// Encodes a call for a worker, and decodes its answer.
enum CallPayload {
  /// Encodes a call. Throws ``FunctionError/unwritableArguments``.
  static func bytes(
    of invocation: Invocation, _ id: CallID, asSystem: Bool, as framing: Framing
  ) throws(FunctionError) -> [UInt8] {
    switch framing {
    case .frames: try frame(invocation, asSystem: asSystem)
    case .lines: line(invocation, id)
    }
  }

  private static func frame(_ invocation: Invocation, asSystem: Bool) throws(FunctionError) -> [UInt8] {
    var writer = BSONWriter()
    writer.beginDocument()
    writer.key("function")
    writer.string(invocation.name)
    writer.key("arguments")
    writer.value(.array(invocation.arguments))
    if let user = invocation.actingUser ?? invocation.user {
      writer.key("user")
      writer.value(.document(user))
    }
    if asSystem {
      writer.key("asSystem")
      writer.value(.bool(true))
    }
    if invocation.writesResponse {
      writer.key("responds")
      writer.value(.bool(true))
    }
    writer.endDocument()
    // In JSON, names may have zero characters.
    do { return try writer.finish() } catch { throw .unwritableArguments }
  }

  private static func line(_ invocation: Invocation, _ id: CallID) -> [UInt8] {
    var call: Document = [
      "call": .string(id.text), "function": .string(invocation.name),
      "arguments": .array(invocation.arguments),
    ]
    if let user = invocation.actingUser ?? invocation.user { call.append("user", .document(user)) }
    return Value.document(call).plainJSON
  }

  /// Encodes the reply to a question of the call; `call` is nil if the question named none.
  static func reply(_ reply: Question.Reply, to call: CallID?, as framing: Framing) -> [UInt8] {
    switch framing {
    case .lines: return LineQuestion.line(reply.document, to: call)
    case .frames:
      if let bytes = try? reply.document.bson() { return bytes }
      return (try? Question.Reply.failure("The answer cannot be written as BSON.").document.bson()) ?? []
    }
  }

  /// Decodes an answer. Throws ``FunctionError/malformedAnswer``.
  static func document(_ payload: [UInt8], as framing: Framing) throws(FunctionError) -> Document {
    switch framing {
    case .frames:
      guard let document = try? Document(bson: payload, limits: limits) else { throw .malformedAnswer }
      return document
    case .lines:
      guard case .document(let document)? = try? Value(json: payload, limits: limits) else {
        throw .malformedAnswer
      }
      return document
    }
  }

  /// The limits of answers: one level more than values may have, for the document around them; the size was checked
  /// already.
  private static let limits = Limits(depth: 101, size: .max)
}

/// An answer of a worker.
struct Answer {
  let result: Result<Value, FunctionError>
  /// The response that the function makes, where it answers an HTTP request.
  var response: Document?
  /// The stack of the function's error.
  var stack: String?
  /// The lines on its console, with level and text.
  var console: [(level: String, text: String)] = []

  /// Reads an answer. Throws ``FunctionError/malformedAnswer``.
  init(_ document: Document) throws(FunctionError) {
    if let value = document["result"] {
      result = .success(value)
    } else if document["isUndefined"] == .bool(true) {
      result = .success(.undefined)
    } else if let error = document["error"] {
      result = .failure(Answer.failure(error))
      if case .document(let members) = error { stack = members.text("stack") }
    } else {
      throw .malformedAnswer
    }
    if case .document(let members)? = document["response"] { response = members }
    guard case .array(let lines)? = document["console"] else { return }
    console = lines.compactMap { line in
      guard case .document(let line) = line, let text = line.text("text") else { return nil }
      return (line.text("level") ?? "log", text)
    }
  }

  private static func failure(_ error: Value) -> FunctionError {
    // Programs may say it in a string.
    if case .string(let message) = error { return .thrown(message: message) }
    guard case .document(let members) = error, let message = members.text("message") else {
      return .malformedAnswer
    }
    switch members.text("rule") {
    case "syntax":
      guard let file = members.text("file"), case .int32(let line)? = members["line"] else {
        return .malformedAnswer
      }
      return .syntax(file: file, line: Int(line), message: message)
    case "notAFunction": return .notAFunction
    case "notSerialisable": return .notSerialisable(message: message)
    case "tooDeep": return .resultTooDeep
    case "tooLarge":
      if case .int32(let limit)? = members["limit"] { return .resultTooLarge(limit: Int(limit)) }
      return .resultTooLarge(limit: 0)
    default: return .thrown(message: message)
    }
  }
}

extension Document {
  fileprivate func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }
}

public import BSON

/// What a function asks the gateway for while it runs.
public enum Question: Sendable {
  /// A request to the gateway's own resources.
  case data(method: String, target: String, content: [UInt8]?, counts: Bool)
  /// The request that the call came with.
  case request

  /// The answer to a question.
  public struct Reply: Sendable {
    public let document: Document

    public init(_ document: Document) {
      self.document = document
    }

    /// What the function's code gets thrown.
    public static func failure(_ message: String, code: String? = nil) -> Reply {
      var failure: Document = ["message": .string(message)]
      if let code { failure.append("code", .string(code)) }
      return Reply(["failure": .document(failure)])
    }
  }

  /// Answers questions. It runs on the caller's executor.
  public typealias Respondent = @Sendable (Question) async -> Reply

  /// Nil: it is none that a respondent answers.
  init?(_ document: Document) {
    guard case .string(let kind)? = document["question"] else { return nil }
    switch kind {
    case "request": self = .request
    case "data":
      guard case .string(let method)? = document["method"], case .string(let target)? = document["target"]
      else { return nil }
      var content: [UInt8]?
      if case .binary(let binary)? = document["content"] { content = binary.bytes }
      self = .data(
        method: method, target: target, content: content, counts: document["counts"] == .bool(true))
    default: return nil
    }
  }
}

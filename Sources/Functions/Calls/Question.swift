public import GatehouseBSON

/// A request of a running function to the gateway.
public enum Question: Sendable {
  /// A request to the gateway's own resources.
  case data(DataQuestion)
  /// The request that the call came with.
  case request

  /// The answer to a question.
  public struct Reply: Sendable {
    public let document: Document

    public init(_ document: Document) {
      self.document = document
    }

    /// Makes the reply that the function's code gets as a thrown error.
    public static func failure(_ message: String, code: String? = nil) -> Reply {
      var failure: Document = ["message": .string(message)]
      if let code { failure.append("code", .string(code)) }
      return Reply(["failure": .document(failure)])
    }

    /// The reply for which there is no room in the memory that callers share, nor perhaps for the question.
    static let overBudget = failure("There is no memory for the question or its answer.", code: "OverBudget")

    /// The reply to code of a call that has ended: it may ask for nothing, least of all in the name of the next
    /// caller.
    static let callEnded = failure("The call that asks has ended, or is not named.", code: "CallEnded")
  }

  /// Answers questions of one call. It runs on the caller's executor.
  public typealias Respondent = @Sendable (Question) async -> Reply

  /// Reads a question; nil if it is none for a respondent.
  init?(_ document: Document) {
    guard case .string(let kind)? = document["question"] else { return nil }
    switch kind {
    case "request": self = .request
    case "data":
      guard case .string(let method)? = document["method"], case .string(let target)? = document["target"]
      else { return nil }
      var question = DataQuestion(method: method, target: target)
      if case .binary(let binary)? = document["content"] { question.content = binary.bytes }
      question.counts = document["counts"] == .bool(true)
      question.isText = document["isText"] == .bool(true)
      question.isAsSystem = document["asSystem"] == .bool(true)
      if case .document(let part)? = document["transaction"] {
        guard let part = DataQuestion.TransactionPart(part) else { return nil }
        question.transaction = part
      }
      self = .data(question)
    default: return nil
    }
  }
}

/// A request of a function to the gateway's own resources.
public struct DataQuestion: Hashable, Sendable {
  /// The part of a transaction that a question is.
  public struct TransactionPart: Hashable, Sendable {
    public enum Step: String, Hashable, Sendable {
      /// The first command.
      case begin
      case next = "continue"
      case commit
      case abort
    }

    /// The number of the transaction, which the function gives it.
    public let number: Int64
    public let step: Step

    init?(_ document: Document) {
      guard case .string(let text)? = document["step"], let step = Step(rawValue: text) else { return nil }
      self.step = step
      switch document["number"] {
      case .int32(let number)?: self.number = Int64(number)
      case .int64(let number)?: self.number = number
      case .double(let number)?:
        guard let number = Int64(exactly: number) else { return nil }
        self.number = number
      default: return nil
      }
    }
  }

  public let method: String
  public let target: String
  /// A BSON document, or JSON.
  public var content: [UInt8]?
  /// Whether content and answer are JSON, and not BSON.
  public var isText = false
  /// Whether the reply is to have the number of all objects.
  public var counts = false
  /// Whether the gateway itself asks, and not the function's caller.
  public var isAsSystem = false
  /// The part of a transaction that it is; nil: it stands by itself.
  public var transaction: TransactionPart?

  init(method: String, target: String) {
    self.method = method
    self.target = target
  }
}

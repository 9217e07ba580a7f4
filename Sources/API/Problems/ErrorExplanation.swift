import GatehouseBSON

/// An error in words, for those who have no request to answer, such as a command line.
public struct ErrorExplanation: Sendable {
  /// The sentence that says what happened.
  public let detail: String
  /// The single mistakes, a sentence each, with its place: `/population: The property is required.`
  public let entries: [String]

  public init(_ error: any Error) {
    if let (sentence, offset) = ErrorExplanation.syntax(error) {
      detail = sentence
      entries = ["That is at byte \(offset), from 0."]
    } else {
      let problem = Problem(error)
      detail = problem.detail
      entries = problem.errors.map(\.sentence)
    }
  }

  private static func syntax(_ error: any Error) -> (sentence: String, offset: Int)? {
    switch error {
    case let error as JSONError: (error.rule.detail, error.offset)
    case let error as BSONError: (error.rule.detail, error.offset)
    case let error as CSVError: (error.rule.detail, error.offset)
    default: nil
    }
  }
}

extension Problem.Entry {
  fileprivate var sentence: String {
    switch place {
    case .pointer("", _), .content, .parameter, .header: detail
    case .pointer(let pointer, _): "\(pointer): \(detail)"
    case .schema(let objectType, let property):
      ([objectType, property].compactMap { $0 }.joined(separator: ".")) + ": \(detail)"
    }
  }
}

/// An error that clients are told of. Each error type has its problem beside it, or in `Errors` where it is one of
/// the targets below, switched over without `default`, so that a new case cannot be forgotten.
protocol ProblemRepresentable: Error {
  var problem: Problem { get }
}

extension Problem {
  /// The problem of any error. One that is not ``ProblemRepresentable`` is our mistake.
  init(_ error: any Error) {
    self =
      (error as? any ProblemRepresentable)?.problem
      ?? Problem(.internalError, "Something went wrong here; the log knows more.")
  }
}

import GatehouseHTTP
import GatehouseSharing

extension PercentEncodingError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .incompleteTriplet:
      Problem(.malformedTarget, "The URL has a % that is not followed by two hexadecimal digits.")
    case .null: Problem(.malformedTarget, "The URL has a %00 in it.")
    case .invalidUTF8: Problem(.malformedTarget, "What the URL percent-encodes is not UTF-8.")
    }
  }
}

extension BodyError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .tooLarge(let limit):
      Problem(.contentTooLarge, "The content of a request may have at most \(limit) bytes.")
    case .incomplete: Problem(.incompleteContent, "The content ended too early.")
    }
  }
}

extension SharingError: ProblemRepresentable {
  /// There is too much to do, in all or for this caller.
  var problem: Problem {
    switch self {
    case .exhausted: Problem(.overloaded, "There is too much to do now; nothing of this was done.")
    case .share:
      Problem(
        .shareExceeded, "What this caller has asked for already takes its share; nothing of this was done.",
        fields: [Fields.Line(name: "retry-after", value: "1")])
    }
  }
}

extension BudgetError: ProblemRepresentable {
  /// There is no room for the request's content or the answer's, in all or for this caller.
  var problem: Problem {
    switch (resource, reason) {
    case (.memory, .exhausted):
      Problem(
        .memoryExhausted,
        """
        What callers send, have recorded and have not read yet takes all of the memory for it (limits.memoryMegabytes); \
        nothing was done.
        """
      )
    case (.temporaryFiles, .exhausted):
      Problem(
        .uploadSpaceExhausted,
        "What callers send takes all of the room on the disk for it (limits.uploadMegabytes); nothing was done."
      )
    case (.memory, .share), (.temporaryFiles, .share): SharingError.share.problem
    }
  }
}

extension FunctionTransactionError: ProblemRepresentable {
  var problem: Problem { Problem(.invalidParameter, text) }

  /// The text and the code by which clients of App Services know it.
  var wording: (text: String, code: String?) { (text, "MongoDBError") }

  /// MongoDB's number of the error; nil: it is none of MongoDB's.
  var number: Int? {
    switch self {
    case .noTransaction: 251
    case .tooLarge: 257
    case .severalGroups: 263
    case .tooMany, .otherRights: nil
    }
  }
}

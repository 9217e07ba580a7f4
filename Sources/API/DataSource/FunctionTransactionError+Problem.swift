extension FunctionTransactionError: ProblemRepresentable {
  var problem: Problem { Problem(.invalidParameter, text) }

  /// The text and the code by which clients of App Services know it.
  var wording: (text: String, code: String?) { (text, "MongoDBError") }
}

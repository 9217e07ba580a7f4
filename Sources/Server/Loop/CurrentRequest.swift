/// The request that a connection answers.
struct CurrentRequest {
  var answer = AnswerState.none
  /// Its content, where it was not whole when its handler was called.
  var content: RequestStream?
  /// Its report; nil where nothing is reported.
  var report: Reporter.Exchange?
}

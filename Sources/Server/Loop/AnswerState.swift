internal import GatehouseHTTP

/// Who answers the request of a connection.
///
///     none ──a request──▶ waiting ──a task──▶ working ──answered──▶ none
///                                                 ├──▶ streaming ──finished──▶ none
///                                                 └──▶ pushing ──completed──▶ none
enum AnswerState {
  case none
  /// The request waits for a task.
  case waiting
  /// A task's handler makes the response.
  case working(RequestTask)
  /// The task writes the response piece by piece.
  case streaming(RequestTask, ResponseStream)
  /// The response stays open and is pushed into; the task is done.
  case pushing(any PushSource)

  var isWaiting: Bool {
    if case .waiting = self { true } else { false }
  }

  /// Whether the response stays open until whoever pushes ends it, as event streams do.
  var isPushing: Bool {
    if case .pushing = self { true } else { false }
  }

  /// Tells the handler at work, if there is one, that nobody waits for its answer.
  func cancel() {
    switch self {
    case .working(let task), .streaming(let task, _): task.cancel()
    case .none, .waiting, .pushing: break
    }
  }

  /// Tells whoever writes that there is room again.
  func resume() {
    switch self {
    case .streaming(_, let stream): stream.resume()
    case .pushing(let source): source.resume()
    case .none, .waiting, .working: break
    }
  }

  /// Tells whoever writes that the client is gone.
  func end() {
    switch self {
    case .streaming(_, let stream): stream.fail()
    case .pushing(let source): source.end()
    case .none, .waiting, .working: break
    }
  }
}

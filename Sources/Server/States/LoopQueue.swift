internal import Dispatch

/// The serial queue that an event loop runs on, and the jobs that any thread adds.
struct LoopQueue: ~Copyable {
  let dispatch: DispatchQueue
  let jobs = JobQueue()
  private let key = DispatchSpecificKey<Void>()

  init(label: String) {
    dispatch = DispatchQueue(label: label, qos: .userInitiated)
    dispatch.setSpecific(key: key, value: ())
  }

  /// Whether the caller runs on it.
  var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}

/// The memory and the time that one query may take. Stages that keep documents charge for them.
///
/// A class because all stages of a pipeline, and the pipelines in it, draw on the same one. It is used by one thread.
public final class Budget {
  private let limit: Int
  private var used = 0
  private var steps = 0
  private let mustStop: () -> Bool

  /// - Parameters:
  ///   - memory: bytes that all that is kept at once may take; MongoDB's limit is 100 MB for each stage.
  ///   - mustStop: asked from time to time; where it says yes, the query ends with `MaxTimeMSExpired`.
  public init(memory: Int = 100 << 20, mustStop: @escaping () -> Bool = { false }) {
    limit = memory
    self.mustStop = mustStop
  }

  /// Takes bytes of memory, or throws where there are not as many left.
  public func charge(_ bytes: Int) throws(DocumentsError) {
    precondition(bytes >= 0, "what is taken has a size")
    used += bytes
    if used > limit {
      throw DocumentsError(
        .exceededMemoryLimit, "The query keeps more than \(limit) bytes in memory, which is its limit.")
    }
  }

  /// Gives back what was taken.
  func release(_ bytes: Int) {
    precondition(bytes >= 0 && bytes <= used, "what is given back was taken")
    used -= bytes
  }

  /// Counts steps of the work, and throws where the time is over.
  func step(_ count: Int = 1) throws(DocumentsError) {
    precondition(count >= 0, "what is done is not undone")
    let before = steps
    steps &+= count
    if before >> 6 != steps >> 6, mustStop() {
      throw DocumentsError(.exceededTimeLimit, "operation exceeded time limit")
    }
  }
}

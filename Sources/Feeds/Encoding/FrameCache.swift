/// The frames of one change that have been written, so that each is written once, however many are told it.
struct FrameCache {
  private struct Form: Hashable {
    let outcome: Outcome
    /// Key paths may lead back to the object, by other properties for each filter.
    let changed: [Int]
    let shape: Shape
  }

  /// Whether there may be several to tell; else there is nothing to keep.
  let isShared: Bool
  private var frames: [Form: [UInt8]] = [:]

  init(isShared: Bool) {
    self.isShared = isShared
  }

  /// Appends the frame, which `write` appends where nobody has yet; where it returns false, nothing is appended.
  mutating func append(
    _ event: ChangeEvent, as shape: Shape, to bytes: inout [UInt8], _ write: (inout [UInt8]) -> Bool
  ) {
    let start = bytes.count
    let form = isShared ? Form(outcome: event.outcome, changed: event.changed, shape: shape) : nil
    if let form, let frame = frames[form] {
      bytes += frame
    } else if !write(&bytes) {
      bytes.removeSubrange(start...)
    } else if let form {
      frames[form] = Array(bytes[start...])
    }
  }
}

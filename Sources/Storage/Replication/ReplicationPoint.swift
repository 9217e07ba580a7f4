/// The place in a transaction log that a store's file has come to. It is written to the file with the transaction that it is
/// the place of, so that a store that is opened again knows where to go on.
public struct ReplicationPoint: Hashable, Sendable {
  /// The bytes that ``context`` may have.
  public static let largestContext = 1024

  /// The number of the log's entry, which grows from one to the next; 0: before the first.
  public let sequence: UInt64
  /// Whatever the owner of the log needs to know of the entry, such as a hash of it; at most ``largestContext`` bytes.
  public let context: [UInt8]

  public init(sequence: UInt64, context: [UInt8] = []) {
    precondition(context.count <= ReplicationPoint.largestContext, "a context is small")
    self.sequence = sequence
    self.context = context
  }

  /// The form in which the file has it: eight bytes of the sequence, the highest first, and the context.
  var stored: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (56 - 8 * UInt64($0))) } + context
  }

  /// Nil: these bytes are none.
  init?(stored: [UInt8]) {
    guard (8...8 + ReplicationPoint.largestContext).contains(stored.count) else { return nil }
    self.init(
      sequence: stored[..<8].reduce(0) { $0 << 8 | UInt64($1) }, context: Array(stored[8...]))
  }
}

/// The bytes and field lines that a head, or the trailers, may still hold.
struct HeadSize: Sendable {
  /// Bytes of lines with their ends; below 0 when the last line was let off its end.
  private var bytes: Int
  private var fieldCount: Int

  /// For a head whose request line is of that length without its end; for trailers, which have none.
  init(head: Int, fieldCount: Int, requestLine length: Int = -2) {
    bytes = head - length - 2
    self.fieldCount = fieldCount
  }

  /// How long the next line may be.
  var remaining: Int { max(0, bytes) }

  /// Counts a field line of that length, which stands at `offset`.
  mutating func add(_ length: Int, offset: Int) throws(RequestError) {
    guard fieldCount > 0 else { throw RequestError(.tooManyFields, offset: offset) }
    fieldCount -= 1
    bytes -= length + 2
    precondition(bytes >= -2, "a line takes what is left, and is let off its end")
  }
}

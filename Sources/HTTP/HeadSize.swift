/// How much has been used of what a head, or the trailers, may hold.
struct HeadSize: Sendable {
  private var bytes = 0
  private var fieldCount = 0

  /// For a head whose request line is of that length without its end.
  init(requestLine length: Int = -2) {
    bytes = length + 2
  }

  /// How long the next line may be.
  func remaining(_ limits: Limits) -> Int {
    max(0, limits.head - bytes)
  }

  /// Counts a field line, which stands at `offset`.
  mutating func add(
    _ line: UnsafeRawBufferPointer, offset: Int, limits: Limits
  ) throws(RequestError) {
    guard fieldCount < limits.fieldCount else { throw RequestError(.tooManyFields, offset: offset) }
    fieldCount += 1
    bytes += line.count + 2
  }
}

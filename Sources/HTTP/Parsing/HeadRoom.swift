/// Where heads are read into, one for each event loop: the memory of a head that nobody holds any more serves
/// the next one, so that a request costs no allocation.
public struct HeadRoom: Sendable {
  private var last = HeadBytes()

  public init() {}

  /// Memory for a head, to be given back by ``keep(_:)``.
  mutating func take() -> HeadBytes {
    var bytes = HeadBytes()
    swap(&bytes, &last)
    bytes.removeAll()
    return bytes
  }

  /// Remembers the memory of a head, which may be in use.
  mutating func keep(_ bytes: HeadBytes) {
    last = bytes
  }
}

import GatehouseStorage

/// Gives its pieces one after the other.
///
/// Because only the store's writer asks for them, one at a time, it is safe to share.
final class Pieces: @unchecked Sendable {
  private var pieces: [[Operation]]

  init(_ pieces: [[Operation]]) { self.pieces = pieces }

  func next() -> [Operation]? { pieces.isEmpty ? nil : pieces.removeFirst() }
}

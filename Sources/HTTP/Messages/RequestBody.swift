/// The content of a request, which may still be on its way.
public enum RequestBody: Sendable {
  case empty
  /// All of it, already here.
  case bytes([UInt8])
  /// Still arriving.
  case stream(any BodyReader)
}

/// Gives the pieces of a request's content as they arrive.
public protocol BodyReader: AnyObject, Sendable {
  /// The next piece, or nil at the end.
  ///
  /// Throws ``BodyError`` when the rest will not come or is not to be had.
  func read() async throws -> [UInt8]?
}

/// Why a request's content could not be read to its end.
public enum BodyError: Error, Hashable, Sendable {
  /// More than the `limit` bytes that are allowed.
  case tooLarge(limit: Int)
  /// The connection ended, or the framing broke, before the end.
  case incomplete
}

extension RequestBody {
  /// Collects the whole content, at most `limit` bytes. As long as it is arriving, `willHold` is told how many bytes
  /// there will be with the next piece; what it throws ends the collecting.
  public func collect(
    limit: Int, willHold: (_ count: Int) throws -> Void = { _ in }
  ) async throws -> [UInt8] {
    switch self {
    case .empty: return []
    case .bytes(let bytes):
      guard bytes.count <= limit else { throw BodyError.tooLarge(limit: limit) }
      return bytes
    case .stream(let reader):
      var all: [UInt8] = []
      while let piece = try await reader.read() {
        guard all.count + piece.count <= limit else { throw BodyError.tooLarge(limit: limit) }
        try willHold(all.count + piece.count)
        all += piece
      }
      return all
    }
  }
}

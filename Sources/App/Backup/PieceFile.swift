import GatehouseBSON
import GatehouseCrypto

/// A file that is read in pieces of the size of a blob, each hashed on the way.
final class PieceFile {
  private let file: InputFile
  private var hash = RunningDigest(.sha256)
  private var size = 0

  init(_ path: String) throws(CommandError) {
    file = try InputFile(path: path)
  }

  /// Returns the next pieces, at most so many; none at the end.
  func pieces(_ count: Int) throws(CommandError) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    while pieces.count < count {
      let piece = try next()
      if piece.isEmpty { break }
      pieces.append(piece)
    }
    return pieces
  }

  private func next() throws(CommandError) -> [UInt8] {
    var piece = [UInt8](repeating: 0, count: BlobName.size)
    var filled = 0
    while filled < piece.count {
      let count = try piece.withUnsafeMutableBytes {
        file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }.get()
      if count == 0 { break }
      filled += count
    }
    piece.removeLast(piece.count - filled)
    piece.withUnsafeBytes { hash.update($0) }
    size += filled
    return piece
  }

  /// Returns what the file was, once all of it has been read.
  func finish() -> HashedFile { HashedFile(size: size, digest: Hexadecimal.text(of: hash.finish())) }
}

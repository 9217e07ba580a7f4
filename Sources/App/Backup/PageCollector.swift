import GatehouseStorage

/// Makes blobs of the pages of a store: of all of them, or of those that are not as they were.
final class PageCollector {
  /// The bytes of a blob, and which part of the store it is, from 0; nil: it is a patch.
  struct Piece: Sendable {
    let part: Int?
    let bytes: [UInt8]
  }

  /// Pages of a part, of which some have not come yet.
  private struct Part {
    var bytes = [UInt8](repeating: 0, count: BlobName.size)
    var pages: Set<Int> = []
  }

  /// Nil: all pages are taken.
  private let before: [PageDigest]?
  private(set) var digests: [PageDigest] = []
  /// The pages in patches.
  private(set) var changed = 0
  private var parts: [Int: Part] = [:]
  private var patch: [UInt8] = []
  private var pieces: [Piece] = []

  init(since before: [PageDigest]?) {
    self.before = before
  }

  func take(_ number: Int, _ page: UnsafeRawBufferPointer) {
    take(number, Array(page))
  }

  private func take(_ number: Int, _ page: [UInt8]) {
    precondition(number >= 0 && page.count == SnapshotPages.pageSize, "the pages of a store have one size")
    let digest = PageDigest(of: page)
    while digests.count <= number { digests.append(.none) }
    digests[number] = digest
    guard let before else { return add(page, number) }
    if number < before.count, before[number] == digest { return }
    changed += 1
    withUnsafeBytes(of: UInt32(number).bigEndian) { patch += $0 }
    patch += page
    if patch.count + BlobName.recordSize > BlobName.size { cut() }
  }

  private func add(_ page: [UInt8], _ number: Int) {
    let (index, place) = (number / BlobName.pages, number % BlobName.pages * page.count)
    // Removed first, so that its bytes are changed where they are.
    var part = parts.removeValue(forKey: index) ?? Part()
    part.bytes.replaceSubrange(place..<(place + page.count), with: page)
    guard part.pages.insert(number).inserted else { preconditionFailure("a page is taken once") }
    precondition(part.bytes.count == BlobName.size, "a page takes the place that it has in its part")
    if part.pages.count == BlobName.pages {
      pieces.append(Piece(part: index, bytes: part.bytes))
    } else {
      parts[index] = part
    }
  }

  private func cut() {
    guard !patch.isEmpty else { return }
    precondition(patch.count <= BlobName.size, "a blob has a bounded size")
    pieces.append(Piece(part: nil, bytes: patch))
    patch = []
  }

  /// Returns the pieces that are complete, each once.
  func takePieces() -> [Piece] {
    defer { pieces = [] }
    return pieces
  }

  var pieceCount: Int { pieces.count }

  /// Completes what is left, of a store of so many pages.
  func finish(count: Int) throws(StorageError) {
    if count > SnapshotPages.unwritten {
      take(SnapshotPages.unwritten, [UInt8](repeating: 0, count: SnapshotPages.pageSize))
    }
    cut()
    for (index, part) in parts {
      let pages = min(BlobName.pages, count - index * BlobName.pages)
      guard part.pages.count == pages else { throw .corrupt("pages") }
      pieces.append(Piece(part: index, bytes: Array(part.bytes[..<(pages * SnapshotPages.pageSize)])))
    }
    parts = [:]
    guard digests.count == count, !digests.contains(.none) else { throw .corrupt("pages") }
  }
}

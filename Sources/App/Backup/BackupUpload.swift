import GatehouseBSON

/// Writes the pieces of one backup into a place: each once, and none that an earlier backup has.
struct BackupUpload {
  private let place: any BackupPlace
  private let run: BackupRun
  /// By their digests, what may be relied on.
  private var known: [String: BlobName]
  private(set) var bytes = 0

  /// How many pieces are under way beside each other.
  static let width = 8

  init(to place: any BackupPlace, by run: BackupRun, known: some Sequence<BlobName>) {
    self.place = place
    self.run = run
    self.known = Dictionary(known.map { ($0.digest, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the names of the pieces, in their order, when all are there.
  mutating func add(_ pieces: [[UInt8]]) async throws -> [BlobName] {
    var names: [BlobName] = []
    var new: [(name: BlobName, bytes: [UInt8])] = []
    for piece in pieces {
      let name = BlobName(of: piece, by: run)
      if let known = known[name.digest] {
        names.append(known)
        continue
      }
      names.append(name)
      known[name.digest] = name
      new.append((name, piece))
      bytes += piece.count
    }
    precondition(names.count == pieces.count, "\(pieces.count) pieces have \(names.count) names")
    try await write(new)
    return names
  }

  private func write(_ new: [(name: BlobName, bytes: [UInt8])]) async throws {
    let place = place
    for start in stride(from: 0, to: new.count, by: BackupUpload.width) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (name, bytes) in new[start..<min(start + BackupUpload.width, new.count)] {
          group.addTask { try await place.write(bytes, as: name.text, in: .blobs) }
        }
        try await group.waitForAll()
      }
    }
  }
}

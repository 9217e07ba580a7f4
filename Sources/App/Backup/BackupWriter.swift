import GatehouseBSON
import GatehouseStorage

/// Makes backups of a data directory in a place, one after the other: of the pages of the store that have changed since the one
/// before, and of the files that have.
///
/// The first backup of a run takes all pages; parts that the newest backup of the place has as well are not written again.
final class BackupWriter {
  /// One backup that was made.
  struct Outcome: Sendable {
    let name: BackupName
    /// The bytes that were written for it.
    let bytes: Int
  }

  /// The backup that the next one builds upon.
  private struct Last {
    let backup: StoredBackup
    let digests: [PageDigest]
    /// The pages in all patches since all pages were taken.
    let patched: Int
  }

  private let place: any BackupPlace
  private let directory: String
  private let program: String
  private var last: Last?

  /// After so many patches all pages are taken again, or when these are as many as half of the store: a restore reads them all.
  private static let mostPatches = 256

  init(of directory: String, to place: any BackupPlace, program: String) {
    self.directory = directory
    self.place = place
    self.program = program
  }

  /// Makes a backup; nil: nothing has changed since the one before. `progress` is told how many bytes of the store have been read,
  /// of how many.
  func run(progress: (_ done: Int, _ total: Int) -> Void) async throws -> Outcome? {
    let names = Set(try await place.names(in: .backups).compactMap(BackupName.init))
    if let name = last?.backup.name, !names.contains(name) { last = nil }
    // With what it relies on, it is compared when all is written.
    let earlier: StoredBackup? =
      if let last { last.backup } else if let name = names.max() { try await read(name) } else { nil }
    let isWhole = last.map { Self.isTooLong($0) } ?? true
    let parts = isWhole ? try await base(of: earlier) : []
    let now = Date.now
    let files = earlier.map { Array($0.contents.values.joined()) } ?? []
    var upload = BackupUpload(to: place, by: BackupRun(now: now), known: parts + files)
    let snapshot = try StoreSnapshot(directory: directory)
    // Milliseconds, as people write times.
    var manifest = BackupManifest(
      program: program, time: Date(milliseconds: now.milliseconds), version: try snapshot.version(),
      entries: [])
    let paths = try BackupEntry.paths(in: directory)
    let collector = PageCollector(since: isWhole ? nil : last?.digests)
    let blobs = try await write(snapshot, by: collector, to: &upload, progress: progress)
    let contents = try await write(paths, like: earlier, entries: &manifest.entries, to: &upload)
    let count = collector.digests.count
    precondition(
      !isWhole || blobs.count == (count + BlobName.pages - 1) / BlobName.pages,
      "each page of a store is in one of its parts")
    let digest = PageDigest.text(of: collector.digests)
    if let last, blobs.isEmpty, count == last.digests.count, manifest.entries == last.backup.manifest.entries
    {
      return nil
    }
    let pages =
      if let last, !isWhole {
        StorePages(
          count: count, base: last.backup.pages.base, patches: last.backup.pages.patches + blobs,
          digest: digest)
      } else {
        StorePages(
          count: count, base: try await upload.add([BlobName.lines(blobs)])[0], patches: [], digest: digest)
      }
    let backup = StoredBackup(manifest: manifest, pages: pages, contents: contents)
    try await finish(backup, upon: earlier)
    last = Last(
      backup: backup, digests: collector.digests,
      patched: isWhole ? 0 : (last?.patched ?? 0) + collector.changed)
    return Outcome(name: backup.name, bytes: upload.bytes + backup.bytes.count)
  }

  private static func isTooLong(_ last: Last) -> Bool {
    last.backup.pages.patches.count >= mostPatches || last.patched * 2 > last.digests.count
  }

  /// Nil: it cannot be read, so that nothing is built upon it.
  private func read(_ name: BackupName) async throws -> StoredBackup? {
    do { return try await StoredBackup.read(name, from: place) } catch CommandError.backup, CommandError.json
    {
      return nil
    }
  }

  /// The blobs of all pages that a backup has.
  private func base(of backup: StoredBackup?) async throws -> [BlobName] {
    do { return try await backup?.pages.parts(from: place) ?? [] } catch CommandError.backup { return [] }
  }

  /// Writes the pages of the store: returns the blobs of its parts, or of patches, in their order.
  private func write(
    _ snapshot: StoreSnapshot, by collector: PageCollector, to upload: inout BackupUpload,
    progress: (_ done: Int, _ total: Int) -> Void
  ) async throws -> [BlobName] {
    let pages = try SnapshotPages(of: snapshot) { collector.take($0, $1) }
    var blobs: [(part: Int, name: BlobName)] = []
    var isMore = true
    while isMore {
      try Task.checkCancellation()
      isMore = try pages.step()
      progress((pages.count - pages.remaining) * SnapshotPages.pageSize, pages.count * SnapshotPages.pageSize)
      if !isMore { try collector.finish(count: pages.count) }
      if isMore, collector.pieceCount < BackupUpload.width { continue }
      let pieces = collector.takePieces()
      let names = try await upload.add(pieces.map(\.bytes))
      blobs += zip(pieces, names).map { ($0.part ?? 0, $1) }
    }
    // The order of patches does not matter: they have no page in common.
    return blobs.sorted { $0.part < $1.part }.map(\.name)
  }

  /// Writes the files, and adds their entries: returns the blobs of each.
  private func write(
    _ paths: [String], like earlier: StoredBackup?, entries: inout [BackupEntry],
    to upload: inout BackupUpload
  ) async throws -> [String: [BlobName]] {
    var known: [BackupEntry: [BlobName]] = [:]
    for entry in earlier?.manifest.entries ?? [] { known[entry] = earlier?.contents[entry.path] }
    var contents: [String: [BlobName]] = [:]
    for path in paths {
      try Task.checkCancellation()
      guard
        let entry = try BackupEntry(
          path, in: directory, content: { file, _ in try HashedFile(reading: file) })
      else { continue }
      guard case .file(let mode, _, _) = entry.kind else {
        entries.append(entry)
        continue
      }
      if let blobs = known[entry] {
        entries.append(entry)
        contents[path] = blobs
        continue
      }
      // The file may be another one than a moment ago.
      let (file, blobs) = try await add("\(directory)/\(path)", &upload)
      entries.append(
        BackupEntry(path: path, kind: .file(mode: mode, size: file.size, digest: file.digest)))
      contents[path] = blobs
    }
    return contents
  }

  private func add(_ path: String, _ upload: inout BackupUpload) async throws -> (HashedFile, [BlobName]) {
    let file = try PieceFile(path)
    var blobs: [BlobName] = []
    while true {
      let pieces = try file.pieces(BackupUpload.width)
      if pieces.isEmpty { return (file.finish(), blobs) }
      blobs += try await upload.add(pieces)
    }
  }

  /// Writes the manifest. What it relies on must still be there then: it is removed by whoever has removed the earlier backup before.
  private func finish(_ backup: StoredBackup, upon earlier: StoredBackup?) async throws {
    precondition(
      backup.manifest.entries.allSatisfy { entry in
        if case .file = entry.kind { backup.contents[entry.path] != nil } else { true }
      }, "each file of a backup has its pieces")
    try await place.write(backup.bytes, as: backup.name.text, in: .backups)
    guard let earlier else { return }
    guard try await place.names(in: .backups).contains(earlier.name.text) else {
      last = nil
      try await place.remove(backup.name.text, in: .backups)
      throw CommandError.backup(place.path(of: earlier.name.text, in: .backups), .removed)
    }
  }
}

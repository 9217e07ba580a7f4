import GatehouseStorage
import Glibc

/// Reads the files of one backup of a place.
struct BackupReader {
  let place: any BackupPlace
  let backup: StoredBackup

  /// How many blobs are read beside each other.
  private static let width = 8

  /// The table of contents, with the store.
  var manifest: BackupManifest {
    var manifest = backup.manifest
    manifest.entries.append(
      BackupEntry(
        path: BackupEntry.store,
        kind: .file(
          mode: PrivateFiles.fileMode, size: backup.pages.count * SnapshotPages.pageSize,
          digest: backup.pages.digest)))
    return manifest
  }

  /// Makes a file; throws where what is there is not as the manifest says. `progress` is told of bytes that have been written.
  func copy(_ entry: BackupEntry, to path: String, progress: (Int) -> Void) async throws {
    guard case .file(let mode, let size, let digest) = entry.kind else { return }
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, PrivateFiles.fileMode)
    guard descriptor >= 0 else { throw CommandError.file(path: path, action: .write, code: errno) }
    defer { close(descriptor) }
    let output = Output(descriptor: descriptor, path: path)
    if entry.path == BackupEntry.store {
      try await writePages(into: descriptor, at: path, progress)
      guard try digestOfPages(at: path) == digest else { throw damage(of: backup.name.text, .backups) }
    } else {
      try await read(backup.contents[entry.path] ?? []) { bytes, _ in
        try output.write(bytes)
        progress(bytes.count)
      }
      guard try HashedFile(reading: path) == HashedFile(size: size, digest: digest) else {
        throw damage(of: backup.name.text, .backups)
      }
    }
    guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0 else {
      throw CommandError.file(path: path, action: .write, code: errno)
    }
  }

  private func damage(of name: String, _ folder: BackupFolder) -> CommandError {
    .backup(place.path(of: name, in: folder), .damaged)
  }

  /// Hands over the bytes of the blobs with their indexes, in this order, each compared with its digest.
  private func read(_ names: [BlobName], _ take: (_ bytes: [UInt8], _ index: Int) throws -> Void) async throws
  {
    let place = place
    for start in stride(from: 0, to: names.count, by: BackupReader.width) {
      let some = names[start..<min(start + BackupReader.width, names.count)]
      let contents = try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
        for (index, name) in zip(some.indices, some) {
          group.addTask { (index, try await place.read(name.text, in: .blobs)) }
        }
        return try await group.reduce(into: [Int: [UInt8]]()) { $0[$1.0] = $1.1 }
      }
      for (index, name) in zip(some.indices, some) {
        guard let bytes = contents[index], name.fits(bytes) else { throw damage(of: name.text, .blobs) }
        try take(bytes, index)
      }
    }
  }

  private func writePages(into descriptor: Int32, at path: String, _ progress: (Int) -> Void) async throws {
    let pages = backup.pages
    try await read(try await pages.parts(from: place)) { bytes, index in
      try write(bytes[...], into: descriptor, at: index * BlobName.size, of: path)
      progress(bytes.count)
    }
    try await read(pages.patches) { bytes, index in
      for start in stride(from: 0, to: bytes.count, by: BlobName.recordSize) {
        let end = start + BlobName.recordSize
        guard end <= bytes.count else { throw damage(of: pages.patches[index].text, .blobs) }
        let number = bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
        try write(bytes[(start + 4)..<end], into: descriptor, at: number * SnapshotPages.pageSize, of: path)
      }
    }
    // The store was larger once than it is now.
    guard ftruncate(descriptor, pages.count * SnapshotPages.pageSize) == 0 else {
      throw CommandError.file(path: path, action: .write, code: errno)
    }
  }

  private func write(_ bytes: ArraySlice<UInt8>, into descriptor: Int32, at place: Int, of path: String)
    throws
  {
    var (rest, place) = (bytes, place)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, place) }
      guard count > 0 else { throw CommandError.file(path: path, action: .write, code: errno) }
      rest = rest.dropFirst(count)
      place += count
    }
  }

  private func digestOfPages(at path: String) throws -> String {
    let file = try PieceFile(path)
    var digests: [PageDigest] = []
    while let piece = try file.pieces(1).first {
      for start in stride(from: 0, to: piece.count, by: SnapshotPages.pageSize) {
        digests.append(PageDigest(of: Array(piece[start..<min(start + SnapshotPages.pageSize, piece.count)])))
      }
    }
    return PageDigest.text(of: digests)
  }
}

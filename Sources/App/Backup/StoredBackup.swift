import GatehouseBSON

/// The manifest of a backup among others: where what it has is kept.
struct StoredBackup: Hashable, Sendable {
  /// The entries are those of all files but the store.
  let manifest: BackupManifest
  let pages: StorePages
  /// The blobs of each file, by its path.
  let contents: [String: [BlobName]]

  var name: BackupName { BackupName(time: manifest.time, version: manifest.version) }

  /// The blobs that it needs, but for those that its base lists.
  var blobs: [BlobName] { [pages.base] + pages.patches + contents.values.joined() }

  var bytes: [UInt8] {
    guard case .document(var members) = manifest.notation else { return [] }
    members.append("store", pages.notation)
    var blobs = Document()
    for (path, names) in contents.sorted(by: { $0.key < $1.key }) {
      blobs.append(path, .array(names.map { .string($0.text) }))
    }
    members.append("blobs", .document(blobs))
    return Value.document(members).plainJSON + [UInt8(ascii: "\n")]
  }

  init(manifest: BackupManifest, pages: StorePages, contents: [String: [BlobName]]) {
    self.manifest = manifest
    self.pages = pages
    self.contents = contents
  }

  /// Throws ``CommandError`` where the bytes are none, of this or an earlier version of the program.
  init(_ bytes: [UInt8], at path: String) throws(CommandError) {
    let notation = try JSONFile.value(of: bytes, at: path)
    manifest = try BackupManifest(notation: notation, at: path)
    guard case .document(let members) = notation, let pages = members["store"].flatMap(StorePages.init),
      case .document(let blobs)? = members["blobs"]
    else { throw .backup(path, .malformed) }
    self.pages = pages
    var contents: [String: [BlobName]] = [:]
    for entry in manifest.entries {
      guard case .file(_, let size, _) = entry.kind else { continue }
      guard let names = blobs[entry.path].flatMap(BlobName.list), names.isEmpty == (size == 0),
        entry.path != BackupEntry.store
      else { throw .backup(path, .malformed) }
      contents[entry.path] = names
    }
    self.contents = contents
  }

  /// Reads the manifest of a backup.
  static func read(_ name: BackupName, from place: any BackupPlace) async throws -> StoredBackup {
    let path = place.path(of: name.text, in: .backups)
    return try StoredBackup(try await place.read(name.text, in: .backups), at: path)
  }
}

import GatehouseBSON

/// The pages of a store, as a backup among others has them.
struct StorePages: Hashable, Sendable {
  /// How many there are.
  let count: Int
  /// The blob that lists the blobs of all pages, a line each: each has as many pages as a blob may, the last one what is left.
  let base: BlobName
  /// The blobs of pages that have changed since, in the order in which they did.
  let patches: [BlobName]
  /// The SHA-256 of the beginnings of the pages' SHA-256.
  let digest: String

  var notation: Value {
    [
      "pages": .int64(Int64(count)), "base": .string(base.text),
      "patches": .array(patches.map { .string($0.text) }), "digest": .string(digest),
    ]
  }

  init(count: Int, base: BlobName, patches: [BlobName], digest: String) {
    self.count = count
    self.base = base
    self.patches = patches
    self.digest = digest
  }

  /// Nil: it is none.
  init?(notation: Value) {
    guard case .document(let members) = notation, let count = members["pages"]?.wholeNumber, count > 0,
      count <= Int64(UInt32.max), case .string(let base)? = members["base"], let base = BlobName(base),
      case .string(let digest)? = members["digest"],
      let patches = members["patches"].flatMap(BlobName.list)
    else { return nil }
    self.init(count: Int(count), base: base, patches: patches, digest: digest)
  }

  /// Reads which blobs have all pages. Throws ``CommandError`` where the list is not what was written.
  func parts(from place: any BackupPlace) async throws -> [BlobName] {
    let lines = try await place.read(base.text, in: .blobs)
    guard base.fits(lines), let names = BlobName.list(lines: lines) else {
      throw CommandError.backup(place.path(of: base.text, in: .blobs), .damaged)
    }
    return names
  }
}

extension BlobName {
  /// The names in an array; nil: it is none, or has something else in it.
  static func list(_ notation: Value) -> [BlobName]? {
    guard case .array(let elements) = notation else { return nil }
    let names = elements.compactMap { if case .string(let text) = $0 { BlobName(text) } else { nil } }
    return names.count == elements.count ? names : nil
  }

  /// The bytes that list blobs, a line each.
  static func lines(_ names: [BlobName]) -> [UInt8] { Array(names.map { $0.text + "\n" }.joined().utf8) }

  /// The names that lines list; nil: there is something else.
  static func list(lines: [UInt8]) -> [BlobName]? {
    let texts = lines.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    let names = texts.compactMap(BlobName.init)
    return names.count == texts.count ? names : nil
  }
}

import GatehouseBSON
import GatehouseCrypto
import GatehouseStorage

/// The name of a piece of what is backed up: the run of the program that wrote it, and the SHA-256 of its bytes.
///
/// Two runs never write the same name. So whoever removes what no backup needs can't remove what another run has just written, or
/// relies on.
struct BlobName: Hashable, Sendable {
  let text: String

  /// The bytes of a part of a store, and the most of a piece of a file.
  static let size = pages * SnapshotPages.pageSize
  /// The pages of a part.
  static let pages = 256
  /// The bytes of a page with its number before it, as patches have it.
  static let recordSize = SnapshotPages.pageSize + 4

  init(of bytes: [UInt8], by run: BackupRun) {
    text = "\(run.text)-\(Hexadecimal.text(of: Digest.sha256.hash(bytes)))"
  }

  /// Nil: it is none.
  init?(_ text: String) {
    guard BackupRun.time(of: text) != nil, text.utf8.count > 65, !text.contains("/"),
      Hexadecimal.bytes(of: text.suffix(64)) != nil
    else { return nil }
    self.text = text
  }

  var digest: String { String(text.suffix(64)) }

  /// Whether the bytes are those that were written.
  func fits(_ bytes: [UInt8]) -> Bool { Hexadecimal.text(of: Digest.sha256.hash(bytes)) == digest }
}

/// One run that writes backups.
struct BackupRun: Hashable, Sendable {
  /// The time at which it began, and four random bytes.
  let text: String

  init(now: Date) {
    text = "\(BackupName.text(of: Date(seconds: now.seconds)))-\(Hexadecimal.text(of: SecureRandom.bytes(4)))"
  }

  /// The time with which the name of a blob or a backup begins; nil: none.
  static func time(of name: String) -> Date? {
    guard let end = name.firstIndex(of: "Z") else { return nil }
    return BackupName.time(of: name[...end])
  }
}

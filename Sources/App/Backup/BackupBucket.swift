/// A bucket of an S3 server that keeps backups.
struct BackupBucket: BackupPlace {
  private let client: S3Client

  init(_ client: S3Client) {
    self.client = client
  }

  private func key(_ name: String, _ folder: BackupFolder) -> String {
    client.location.key("\(folder.rawValue)/\(name)")
  }

  func path(of name: String, in folder: BackupFolder) -> String {
    "s3://\(client.location.bucket)/\(key(name, folder))"
  }

  func names(in folder: BackupFolder) async throws -> Set<String> {
    let prefix = key("", folder)
    // Keys have no character that XML would spell otherwise but those of the prefix, which are not looked at.
    return Set(
      try await client.keys(prefix).map { key in
        String(key[(key.lastIndex(of: "/") ?? key.startIndex)...].dropFirst())
      })
  }

  func read(_ name: String, in folder: BackupFolder) async throws -> [UInt8] {
    try await client.read(key(name, folder))
  }

  func write(_ bytes: [UInt8], as name: String, in folder: BackupFolder) async throws {
    try await client.write(bytes, key(name, folder))
  }

  func remove(_ name: String, in folder: BackupFolder) async throws {
    try await client.remove(key(name, folder))
  }
}

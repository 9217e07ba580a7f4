import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Glibc
import Testing

@Suite struct PrivateFilesTests {
  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private static func folder() throws -> String {
    var template = Array("\(Machine.scratch)/gatehouse-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StorageError.notWritable(Machine.scratch) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test func `what a store makes is its owner's alone`() async throws {
    let folder = try Self.folder()
    let path = "\(folder)/deep/data"
    let store = try Store(directory: path)
    _ = try await store.apply(Schema([]), destructive: false)
    let names = ["lock", "gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm"]
    #expect(Self.mode(path) == 0o700)
    for name in names { #expect(Self.mode("\(path)/\(name)") == 0o600, "\(name)") }
    let backup = "\(folder)/backup"
    try PrivateFiles.createDirectory(backup)
    try StoreSnapshot(directory: path).copy(to: "\(backup)/gatehouse.db") { _, _ in }
    #expect(Self.mode(backup) == 0o700 && Self.mode("\(backup)/gatehouse.db") == 0o600)
    await store.close()
    for name in names + ["gatehouse.db-journal"] { unlink("\(path)/\(name)") }
    unlink("\(backup)/gatehouse.db")
    for name in ["backup", "deep/data", "deep", ""] { rmdir("\(folder)/\(name)") }
  }

  @Test func `what others could look into is closed to them, and named once`() throws {
    let path = try Self.folder()
    let files = ["gatehouse.db", "auth/providers.json", "auth/secrets/key", "functions/f.js", "other"]
    for name in ["auth", "auth/secrets", "functions"] { mkdir("\(path)/\(name)", 0o755) }
    for name in files {
      let file = open("\(path)/\(name)", O_CREAT | O_WRONLY, 0o644)
      close(file)
      chmod("\(path)/\(name)", name == "functions/f.js" ? 0o755 : 0o664)
    }
    for name in ["", "auth", "auth/secrets", "functions"] { chmod("\(path)/\(name)", 0o755) }
    symlink("/etc/passwd", "\(path)/auth/link")
    let findings = PrivateFiles.restrict(path)
    #expect(
      findings.map(\.path).sorted()
        == ["", "/auth", "/auth/providers.json", "/auth/secrets", "/auth/secrets/key", "/gatehouse.db"]
        .map { path + $0 })
    #expect(findings.allSatisfy { $0.failure == nil })
    #expect(PrivateFiles.restrict(path) == [])
    #expect(Self.mode(path) == 0o700 && Self.mode("\(path)/auth/secrets") == 0o700)
    #expect(Self.mode("\(path)/auth/secrets/key") == 0o600)
    // Programs that the operator wrote, and what is not ours.
    #expect(Self.mode("\(path)/functions/f.js") == 0o755 && Self.mode("\(path)/other") == 0o664)
    for name in files + ["auth/link"] { unlink("\(path)/\(name)") }
    for name in ["auth/secrets", "auth", "functions", ""] { rmdir("\(path)/\(name)") }
  }

  @Test func `a directory that is not there has nothing to close`() {
    #expect(PrivateFiles.restrict("/nowhere/at/all") == [])
  }
}

import GatehouseBSON
import Testing

@testable import GatehouseApp

struct BackupManifestTests {
  @Test func `sizes that are more than a number can hold are shown as the most that it can`() throws {
    let file: Value = [
      "path": .string("gatehouse.db"), "mode": .string("0600"), "size": .int64(.max),
      "sha256": .string(String(repeating: "0", count: 64)),
    ]
    guard case .document(var other) = file else { return }
    other.elements[0].value = .string("gatehouse.json")
    let notation: Value = [
      "format": .int64(1), "gatehouse": .string("1.0.0"), "time": .string("2026-11-25T12:00:00Z"),
      "version": .int64(1), "files": .array([file, .document(other)]),
    ]
    let manifest = try BackupManifest(notation: notation, at: "backup.json")
    #expect(manifest.entries.count == 2)
    #expect(manifest.size == .max)
  }
}

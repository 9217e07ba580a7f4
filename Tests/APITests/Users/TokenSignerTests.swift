import GatehouseAccess
import GatehouseBSON
import GatehouseStorage
import GatehouseTestSupport
import Synchronization
import Testing

@testable import GatehouseAPI

/// The keys that users' tokens are signed with.
struct TokenSignerTests {
  private final class Time: Sendable {
    let seconds = Atomic<Int64>(1_700_000_000)
    var now: Date { Date(seconds: seconds.load(ordering: .relaxed)) }
  }

  @Test func `a key that cannot be stored signs nothing`() async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let time = Time()
    let store = try Store(directory: folder)
    let signer = try await TokenSigner(UserStore(store: store) { time.now })
    let record = try UserRecords(reader: store.makeReader()).document(Record.Name("signing", ""))
    let stored = try #require(record.flatMap { SigningKeys(record: $0) })
    await store.close()
    time.seconds.add(SigningKeys.period, ordering: .relaxed)
    for _ in 0..<2 {
      await #expect(throws: StorageError.cancelled) { try await signer.rotateKeys() }
      let session = Session(of: .generate(), device: nil, at: time.now)
      #expect(stored.haveSigned(signer.text(of: UserToken(.access, of: session, at: time.now))))
    }
  }
}

import Dispatch
import GatehouseAccess
import GatehouseBSON
import GatehouseModel
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

  private let time = Time()

  private func with(_ body: (Store) async throws -> Void) async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let store = try Store(directory: folder)
    try await body(store)
    await store.close()
  }

  private func signer(_ store: Store) async throws -> TokenSigner {
    try await TokenSigner(UserStore(store: store) { [time] in time.now })
  }

  private func stored(in store: Store) throws -> SigningKeys {
    let record = try UserRecords(reader: store.makeReader()).document(Record.Name("signing", ""))
    return try #require(record.flatMap { SigningKeys(record: $0) })
  }

  /// Returns a new token's text.
  private func text(by signer: TokenSigner) -> String {
    let session = Session(of: .generate(), device: nil, at: time.now)
    return signer.text(of: UserToken(.access, of: session, at: time.now))
  }

  @Test func `a key that cannot be stored signs nothing`() async throws {
    try await with { store in
      let signer = try await signer(store)
      let stored = try stored(in: store)
      await store.close()
      time.seconds.add(SigningKeys.period, ordering: .relaxed)
      for _ in 0..<2 {
        await #expect(throws: StorageError.cancelled) { try await signer.rotateKeys() }
        #expect(stored.haveSigned(text(by: signer)))
      }
    }
  }

  @Test func `a key signs nothing before it is stored`() async throws {
    try await with { store in
      let signer = try await signer(store)
      let before = try stored(in: store)
      time.seconds.add(SigningKeys.period, ordering: .relaxed)
      // The writer is busy until the gate opens.
      let gate = DispatchSemaphore(value: 0)
      let (entered, entry) = AsyncStream.makeStream(of: Void.self)
      let hook = CommitHook(needsObjects: false) { _ in
        entry.finish()
        _ = gate.wait(timeout: .now() + 1_800)
        return []
      }
      let type = try Value(json: Array(#"[{"name":"Item","properties":{"n":"int"}}]"#.utf8))
      let schema = try Schema(notation: type)
      let busy = Task {
        defer { entry.finish() }
        _ = try await store.apply(schema, destructive: false, hook: hook)
      }
      for await _ in entered {}
      let rotation = Task { try await signer.rotateKeys() }
      for _ in 0..<1_000 {
        await Task.yield()
        #expect(before.haveSigned(text(by: signer)))
      }
      gate.signal()
      try await busy.value
      try await rotation.value
      let text = text(by: signer)
      #expect(try stored(in: store).haveSigned(text) && !before.haveSigned(text))
    }
  }

  @Test func `those who renew keys at the same time sign by the same one`() async throws {
    try await with { store in
      let signers = (try await signer(store), try await signer(store))
      time.seconds.add(SigningKeys.period, ordering: .relaxed)
      async let first: Void = signers.0.rotateKeys()
      async let second: Void = signers.1.rotateKeys()
      _ = try await (first, second)
      let stored = try stored(in: store)
      for signer in [signers.0, signers.1] { #expect(stored.haveSigned(text(by: signer))) }
      #expect(try signers.0.token(text(by: signers.1), .access).kind == .access)
    }
  }
}

import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseStorage
import GatehouseTestSupport
import Synchronization
import Testing

@testable import GatehouseAPI
@testable import GatehouseApp

@Suite struct UpkeepTests {
  @Test func `sessions that have ended are removed every hour`() async throws {
    let directory = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(directory)'") }
    let store = try Store(directory: directory)
    let cost = try ScryptCost(iterations: 2, blockSize: 1, parallelism: 1)
    let providers = try Providers(notation: .document([:])) { _ in nil }
    let users = try await Users(store, providers: providers, cost: cost)
    let user = ObjectID.generate()
    let times = [Date(seconds: Date.now.seconds - 90 * 86_400), Date.now]
    let sessions = times.map { Session(of: user, device: nil, at: $0) }
    _ = try await store.keep(
      sessions.map { try RecordChange(UserRecords.session(user, $0.id), $0.record) })
    let pauses = Mutex<[Duration]>([])
    var upkeep = Upkeep(users: users, recorder: nil, settings: Settings())
    upkeep.pause = { (duration: Duration) in
      let count = pauses.withLock { pauses in
        pauses.append(duration)
        return pauses.count
      }
      // Until the first hour is over, both are there.
      if count == 1 { #expect(try store.makeReader().records("session").count == 2) }
      if count == 2 { throw CancellationError() }
    }
    await upkeep.run()
    #expect(pauses.withLock { $0 } == [.seconds(3_600), .seconds(3_600)])
    let left = try store.makeReader().records("session").map { $0.name.key }
    #expect(left == [UserRecords.session(user, sessions[1].id).key])
    await store.close()
  }
}

import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import GatehouseTestSupport
import Testing

@testable import GatehouseApp

/// The classes of groups, which are not made in the store of their app.
@Suite struct ClassReservationsTests {
  private func make(_ name: String, in store: Store) async throws {
    let notation = #"[{"name":"\#(name)","primaryKey":"i","properties":{"i":"int"}}]"#
    let new = try Schema(notation: try Value(json: notation))
    _ = try await store.apply(Schema(store.schema.objectTypes + new.objectTypes), destructive: false)
  }

  @Test func `a class of a group is not made in the app's store, and a node that is late changes nothing`()
    async throws
  {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let store = try Store(directory: folder)
    let reservations = ClassReservations(store)
    var group = AppGroup(try #require(GroupName("archive")), classes: ["Order", "Line"])
    try await reservations.keep([], revision: 0)
    #expect(try reservations.revision == -1)
    try await reservations.keep([group], revision: 3)
    try await reservations.keep([], revision: 2)
    #expect(try reservations.revision == 3)
    await #expect(throws: StorageError.classOutOfBounds("Order")) { try await make("Order", in: store) }
    try await make("City", in: store)
    group.classes = ["Line"]
    try await reservations.keep([group], revision: 4)
    try await make("Order", in: store)
    await #expect(throws: StorageError.classOutOfBounds("Line")) { try await make("Line", in: store) }
    // One that is there already stays as it is, and may change.
    try await reservations.keep(
      [group, AppGroup(try #require(GroupName("b")), classes: ["City"])], revision: 5)
    #expect(store.schema.objectTypes.map(\.name) == ["City", "Order"])
    await store.close()
  }
}

import GatehouseBSON
import GatehouseCluster
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

  @Test func `of several nodes that reserve classes at once, the one with the latest groups is right`()
    async throws
  {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(folder)'") }
    let store = try Store(directory: folder)
    let name = try #require(GroupName("archive"))
    for round in 0..<4 {
      let last = (round + 1) * 8
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in round * 8 + 1...last {
          group.addTask {
            try await ClassReservations(store).keep(
              [AppGroup(name, classes: ["A\(index)", "B\(index)"])], revision: Int64(index))
          }
        }
        try await group.waitForAll()
      }
      #expect(try ClassReservations(store).revision == Int64(last))
      let reserved = try store.makeReader().records(Record.Name.reservations).map(\.name.key)
      #expect(Set(reserved) == ["A\(last)", "B\(last)"])
    }
    // A group whose making is undone gives its classes back.
    try await ClassReservations(store).keep([], revision: 33)
    #expect(try store.makeReader().records(Record.Name.reservations).isEmpty)
    try await make("A32", in: store)
    await store.close()
  }
}

/// Whether a data directory has a store, for a node of a cluster.
@Suite struct StoredNodeTests {
  @Test func `an empty store that has no entry of a log is none`() async throws {
    let folder = "\(Machine.scratch)/gatehouse-\(ObjectID.generate())"
    defer { _ = Machine.run("rm -r '\(folder)'") }
    #expect(try !ClusterNode.stored(in: folder).isThere)
    var options = StoreOptions()
    options.log = StoreMember(scheduler: options.scheduler)
    // A node that ends before its first entry.
    await (try Store(directory: folder, options: options)).close()
    let empty = try ClusterNode.stored(in: folder)
    #expect(!empty.isThere && empty.point?.sequence == 0)
    let alone = "\(folder)/alone"
    _ = Machine.run("mkdir '\(alone)'")
    let store = try Store(directory: alone)
    #expect(try !ClusterNode.stored(in: alone).isThere)
    let notation = #"[{"name":"A","primaryKey":"i","properties":{"i":"int"}}]"#
    _ = try await store.apply(Schema(notation: try Value(json: notation)), destructive: false)
    let filled = try ClusterNode.stored(in: alone)
    #expect(filled.isThere && filled.point == nil)
    await store.close()
  }
}

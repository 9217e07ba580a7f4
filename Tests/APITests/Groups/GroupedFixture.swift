import FoundationEssentials
import GatehouseAccess
import GatehouseAudit
import GatehouseFeeds
import GatehouseFunctions
import GatehouseHTTP
import GatehouseStorage
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

/// A gateway with a store of its own and one for a group, `archive`, of the classes `Order` and `Line`.
struct GroupedFixture {
  let fixture: Fixture
  let archive: Store
  private let directory: String

  static let group = ClassGroup(name: "archive", classes: ["Order", "Line"])
  static let city =
    #"{"name":"City","primaryKey":"id","properties":{"id":"int","n":"int?","owner":"string?","next":"City"}}"#
  static let order =
    #"{"name":"Order","primaryKey":"id","properties":{"id":"int","n":"int?","owner":"string?","next":"Order","lines":"Line[]"}}"#
  static let line = #"{"name":"Line","embedded":true,"properties":{"text":"string?"}}"#

  private init(functions: FunctionHost, users: Providers?, audit: Auditing?, isBounded: Bool) async throws {
    directory = "\(Machine.scratch)/gatehouse-\(FoundationEssentials.UUID())"
    var options = StoreOptions()
    options.classBounds = .only(Self.group.classes)
    options.appendOnlyClasses = [StoredEvent.className]
    let archive = try Store(directory: directory, options: options)
    self.archive = archive
    var group = GatewayGroup(Self.group, archive, broker: EventBroker(archive))
    group.recorder = audit?.recorder(archive)
    fixture = try await Fixture(nil, functions: functions, audit: audit, users: users, groups: [group]) {
      if isBounded { $0.classBounds = .except(Self.group.classes) }
    }
  }

  /// Runs a test; the stores are gone afterwards.
  ///
  /// - Parameter isBounded: Whether the gateway's own store takes none of the group's classes, as one that never had them.
  static func with(
    functions: FunctionHost = FunctionHost(), users: Providers? = nil, audit: Auditing? = nil,
    hasClasses: Bool = true, isBounded: Bool = true,
    _ body: (Fixture, _ archive: Store) async throws -> Void
  ) async throws {
    let grouped = try await GroupedFixture(
      functions: functions, users: users, audit: audit, isBounded: isBounded)
    if hasClasses {
      for (name, type) in [("City", city), ("Line", line), ("Order", order)] {
        let answer = try await grouped.fixture.send(.put, "/v1/schema/\(name)", json: type)
        try #require(answer.status == 201, "\(answer.text)")
      }
    }
    try await body(grouped.fixture, grouped.archive)
    await grouped.fixture.remove()
    await grouped.archive.close()
    try? FileManager.default.removeItem(atPath: grouped.directory)
  }
}

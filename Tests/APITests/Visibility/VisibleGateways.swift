import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// A gateway with a world of which its caller sees a part, and a gateway that has nothing but that part.
struct VisibleGateways {
  let world: VisibleWorld
  let whole: Fixture
  let pruned: Fixture
  /// The credential of the caller, and that of the operator who sees everything.
  let caller: [String: String]
  let operatorOfWhole: [String: String]
  /// The credential of the administrator of the part.
  let administrator: [String: String]

  init(_ world: VisibleWorld) async throws {
    self.world = world
    whole = try await VisibleGateways.gateway(world)
    pruned = try await VisibleGateways.gateway(world.visible, without: world.hidden)
    let roles = try await whole.send(.put, "/v1/roles", json: world.role)
    try #require(roles.status == 200, "\(roles.text)")
    operatorOfWhole = try await VisibleGateways.key("admin", whole)
    caller = try await VisibleGateways.key("member", whole)
    administrator = try await VisibleGateways.key("admin", pruned)
  }

  func remove() async {
    await whole.remove()
    await pruned.remove()
  }

  /// Makes a gateway for the world, in whose schema the properties are not.
  private static func gateway(
    _ world: VisibleWorld, without hidden: Set<String> = []
  ) async throws -> Fixture {
    let fixture = try await Fixture(VisibleWorld.schema(without: hidden))
    let json = "{\"operations\":[\(world.operations(without: hidden).joined(separator: ","))]}"
    let answer = try await fixture.send(.post, "/v1/transactions", json: json)
    try #require(answer.status == 200, "\(answer.text)")
    return fixture
  }

  private static func key(_ role: String, _ fixture: Fixture) async throws -> [String: String] {
    let key = try await fixture.gateway.context.access.makeKey(name: "", role: role, classes: [])
    return ["authorization": "Bearer \(key.text)"]
  }
}

import GatehouseHTTP
import GatehouseSeeded

/// A caller from whom the objects of others and a property are hidden, who tries to see and to change them.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Intruder: @unchecked Sendable {
  private let world: World
  private let role: String
  private let owner: String
  private var generator: SeededGenerator

  init(as role: String, of owner: String, in world: World) {
    self.world = world
    self.owner = owner
    self.role = role
    generator = world.scenario.generator(owner == "me" ? 50 : 51)
  }

  private var stranger: String { owner == "me" ? "other" : "me" }
  /// The texts that it must not see.
  private var hidden: [String] { ["HIDDEN", owner == "me" ? "FOREIGN" : "OWN"] }

  func run() async {
    for number in 0..<world.scenario.requests {
      let key = world.keys[role] ?? ""
      let access = world.access
      let request = request(number, by: key)
      guard let answer = await world.send(request, onLoop: number, isStrict: world.scenario.hasAccessChanges)
      else { continue }
      for mark in hidden where answer.text.contains(mark) {
        Simulation.fail(
          "the intruder was shown \(mark) by \(request.method) \(request.target.path): \(answer.text)")
      }
      if answer.status == 401, world.keys[role] == key {
        Simulation.fail("the intruder's key is not known any more")
      }
      guard role == "member", access.closedSince != nil, world.access.edition == access.edition else {
        continue
      }
      if answer.text.contains("OWN") {
        Simulation.fail("members see nothing, and one was shown by \(request.target.path): \(answer.text)")
      }
    }
  }

  private func request(_ number: Int, by key: String) -> Request {
    let id = Int.random(in: 0..<world.scenario.objects, using: &generator)
    // Even identifiers are the other's.
    let (foreign, own) = owner == "me" ? (id / 2 * 2, id / 2 * 2 + 1) : (id / 2 * 2 + 1, id / 2 * 2)
    let reads = [
      "/v1/collections/Item", "/v1/collections/Item/\(id)", "/v1/collections/Item?expand=next",
      "/v1/collections",
      "/v1/collections/Item?filter=next.owner%20%3D%3D%20'\(stranger)'", "/v1/collections/Item?sort=secret",
      "/v1/collections/Item?filter=secret%20BEGINSWITH%20'HIDDEN'", "/v1/changes?since=0",
      "/v1/collections/AuditEvent",
      "/v1/collections/Item?aggregate=max(secret)", "/v1/collections/Item/\(id)/next/secret", "/v1/schema",
    ]
    let choice = Int.random(in: 0..<reads.count + 4, using: &generator)
    if choice < reads.count { return World.request(.get, reads[choice], by: key) }
    let tag = "intruder-\(owner)-\(number)"
    switch choice - reads.count {
    case 0:
      return World.request(
        .patch, "/v1/collections/Item/\(foreign)", json: #"{"tag":"\#(tag)"}"#, by: key)
    case 1: return World.request(.delete, "/v1/collections/Item/\(foreign)", by: key)
    case 2:
      return World.request(
        .patch, "/v1/collections/Item/\(own)", json: #"{"secret":"\#(tag)"}"#, by: key)
    default:
      return World.request(
        .patch, "/v1/collections/Item?filter=owner%20%3D%3D%20'\(stranger)'", json: #"{"tag":"\#(tag)"}"#,
        by: key)
    }
  }
}

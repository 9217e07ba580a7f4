import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded

/// The end of an audit scope, as far as its client was told.
enum ScopeOutcome {
  case unclear
  /// With so many reads that showed something.
  case committed(reads: Int)
  case cancelled
}

/// A client that has what it reads recorded in scopes.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Auditor: @unchecked Sendable {
  private let world: World
  private var generator: SeededGenerator

  init(in world: World) {
    self.world = world
    generator = world.scenario.generator(63)
  }

  func run() async {
    for number in 0..<5 { await runScope("scope-\(number)") }
  }

  private func send(_ path: String, json: String) async -> Answer? {
    await world.send(World.request(.post, path, json: json), onLoop: 1)
  }

  private func runScope(_ activity: String) async {
    let begun = await send("/v1/audit/scopes", json: #"{"activity":"\#(activity)"}"#)
    guard let begun, begun.status == 201, let id = try? begun.value["id"]?.integer else { return }
    world.scopes[activity] = .unclear
    world.openScopes.insert(id)
    var reads = 0
    for _ in 0..<Int.random(in: 0..<4, using: &generator) {
      let object = Int.random(in: 0..<world.scenario.objects, using: &generator)
      let request = World.request(.get, "/v1/collections/Item/\(object)", ["audit-scope": "\(id)"])
      if await world.send(request, onLoop: 1)?.status == 200 { reads += 1 }
      await world.pause(1...20)
    }
    let commits = Bool.random(using: &generator)
    let answer = await send("/v1/audit/scopes/\(id)/\(commits ? "commit" : "cancel")", json: "{}")
    guard let answer else { return }
    Simulation.note("\(activity): \(commits ? "commit" : "cancel") \(answer.status), \(reads) reads")
    if answer.status < 500 { world.openScopes.remove(id) }
    switch answer.status {
    case 204: world.scopes[activity] = commits ? .committed(reads: reads) : .cancelled
    // A crash has ended it.
    case 404, 409: world.scopes[activity] = .cancelled
    default: break
    }
  }
}

import CGatehouseSimulation
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import GatehouseStorage

/// An operator, who changes the rights of members, and gives them other keys, while they are at work.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Administrator: @unchecked Sendable {
  private let world: World
  private var generator: SeededGenerator
  private let client: Client
  private var areOpen = true
  /// The identifier of the members' key; nil: it is the first one's, or not known.
  private var keyID: String?

  init(in world: World) {
    self.world = world
    generator = world.scenario.generator(61)
    client = Client(990, in: world)
  }

  func run() async {
    for _ in 0..<6 {
      await world.pause(1...300)
      if Bool.random(using: &generator) { await changeRoles() } else { await changeKey() }
    }
  }

  private func changeRoles() async {
    areOpen.toggle()
    world.access.willChange()
    let edition = world.access.edition
    var isStalled = false
    if !areOpen {
      isStalled = world.stallWatchers(for: Int.random(in: 1...400, using: &generator))
      if isStalled, Bool.random(using: &generator) { await client.insertVisible() }
      if Bool.random(using: &generator) { await world.pause(1...20) }
    }
    let request = World.request(.put, "/v1/roles", json: MemberAccess.roles(areOpen: areOpen))
    let sent = await world.send(request, onLoop: 0)
    let outcome = sent.map { "\($0.status)" } ?? "no answer"
    Simulation.note("members see \(areOpen ? "objects" : "nothing"): \(outcome)")
    guard let answer = sent, answer.status == 200 else {
      if areOpen { world.access.mayOpen(at: sim_now()) }
      return
    }
    if !areOpen, edition == world.access.edition, world.isUp {
      world.access.didClose(at: world.lastVersion, now: sim_now())
    }
    if isStalled { await client.insertVisible() }
  }

  /// Makes another key for members, and revokes the one that they had.
  private func changeKey() async {
    let old = (id: keyID, text: world.keys["member"])
    let request = World.request(.post, "/v1/keys", json: #"{"role":"member","name":"k"}"#)
    guard let made = await world.send(request, onLoop: 1), made.status == 201, let value = try? made.value,
      let text = value["key"]?.text, let id = value["id"]?.text
    else { return }
    world.keys["member"] = text
    keyID = id
    await probe(text, isGood: true)
    guard let oldID = old.id, let oldText = old.text else { return }
    let answer = await world.send(World.request(.delete, "/v1/keys/\(oldID)"), onLoop: 0)
    if answer?.status == 204 { await probe(oldText, isGood: false) }
  }

  private func probe(_ key: String, isGood: Bool) async {
    let request = World.request(.get, "/v1/collections/Item?limit=1", by: key)
    guard let answer = await world.send(request, onLoop: 1, isStrict: true), answer.status < 500
    else { return }
    if (answer.status != 401) != isGood {
      Simulation.fail("a key that is \(isGood ? "" : "not ")good is answered by \(answer.status)")
    }
  }
}

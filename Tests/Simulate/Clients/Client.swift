import CGatehouseSimulation
import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded

/// A client with a workload of its own: writes whose outcome it reports, and reads.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Client: @unchecked Sendable {
  private let index: Int
  private let world: World
  private let scenario: Scenario
  private var generator: SeededGenerator
  private var count = 0
  /// Requests with idempotency keys, and the answers to them.
  private var answered: [(tag: String, request: Request, answer: Answer)] = []

  init(_ index: Int, in world: World) {
    self.index = index
    self.world = world
    scenario = world.scenario
    generator = scenario.generator(1000 + UInt64(index))
  }

  func run() async {
    for _ in 0..<scenario.requests {
      await act()
      if draw(4) == 0 { await pause(UInt64(draw(30))) }
    }
  }

  private func act() async {
    switch draw(120) {
    case 100..<106 where scenario.hasFunctions: await callFunction()
    case 106..<112 where scenario.hasConditions: await updateOnCondition()
    case 112..<116 where !answered.isEmpty: await repeatAnswered()
    case 116..<118 where scenario.hasConnections: await loadMuch()
    case 0..<24: await write([.insert(draw(scenario.objects))])
    case 24..<38: await write([.update(draw(scenario.objects))])
    case 38..<44: await increment()
    case 44..<54: await write([.delete(draw(scenario.objects))])
    case 54..<66: await transact()
    case 66..<70: await writeGroup()
    case 70..<74: await load()
    case 74..<82: await readAll()
    case 82..<88: await readGroup()
    case 88..<93: await readObject()
    case 93..<96: await readPast()
    case 96..<98 where scenario.hasSchemaChanges && !scenario.hasClassChanges && index == 0:
      await changeSchema()
    default: await pause(UInt64(draw(200)))
    }
  }

  private func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private func pause(_ milliseconds: UInt64) async {
    try? await Task.sleep(nanoseconds: milliseconds * 1_000_000)
  }

  // Writes

  private func makeTag() -> String {
    count += 1
    return "c\(index)-\(count)"
  }

  /// The values of an object that a request sets; those that no other caller may see are marked.
  private func values(of id: Int, tag: String, isNew: Bool) -> String {
    let text = (id % 2 == 0 ? "FOREIGN" : "OWN") + String(repeating: "x", count: scenario.padding)
    var json = #""n":\#(draw(5)),"tag":"\#(tag)","text":"\#(text)","secret":"HIDDEN-\#(tag)""#
    if draw(3) == 0 { json += #","next":\#(draw(3) == 0 ? "null" : "\(draw(scenario.objects))")"# }
    if scenario.hasNewValues, world.newProperties > 0, draw(2) == 0 {
      json += #","p\#(draw(world.newProperties))":"\#(tag)""#
    }
    if isNew { json += #","_id":\#(id),"owner":"\#(id % 2 == 0 ? "other" : "me")","group":\#(draw(3))"# }
    return json
  }

  private func write(_ steps: [Attempt.Step]) async {
    let tag = makeTag()
    let request =
      switch steps[0] {
      case .insert(let id):
        World.request(
          .post, "/v1/collections/Item", json: "{\(values(of: id, tag: tag, isNew: true))}", fields(tag))
      case .update(let id):
        World.request(
          .patch, "/v1/collections/Item/\(id)", json: "{\(values(of: id, tag: tag, isNew: false))}",
          fields(tag))
      case .delete(let id): World.request(.delete, "/v1/collections/Item/\(id)")
      }
    await send(Attempt(tag: tag, kind: .steps(steps)), request)
  }

  /// Writes an object that members see as long as they see any.
  func insertVisible() async { await write([.insert(40_001 + 2 * count)]) }

  /// Several steps at once, each of another object.
  private func transact() async {
    let tag = makeTag()
    var ids = Array(0..<scenario.objects + 3)
    ids.shuffle(using: &generator)
    var steps: [Attempt.Step] = []
    var operations: [String] = []
    for id in ids.prefix(2 + draw(3)) {
      switch draw(4) {
      case 0: steps.append(.insert(id))
      case 1 where steps.contains { if case .delete = $0 { false } else { true } }: steps.append(.delete(id))
      default: steps.append(.update(id))
      }
      operations.append(operation(steps[steps.count - 1], tag))
    }
    await transact(steps, operations, tag)
  }

  /// Changes one of these objects, adds one that is not among them, and removes another one, at once.
  private func replace(_ ids: [Int]) async {
    let tag = makeTag()
    let ids = ids.shuffled(using: &generator)
    var steps: [Attempt.Step] = [.update(ids[0])]
    if let id = (0..<scenario.objects + 3).first(where: { !ids.contains($0) }) { steps.append(.insert(id)) }
    if ids.count > 1 { steps.append(.delete(ids[1])) }
    await transact(steps, steps.map { operation($0, tag) }, tag)
  }

  private func operation(_ step: Attempt.Step, _ tag: String) -> String {
    switch step {
    case .insert(let id):
      #"{"op":"create","class":"Item","value":{\#(values(of: id, tag: tag, isNew: true))}}"#
    case .update(let id):
      #"{"op":"update","class":"Item","id":\#(id),"set":{\#(values(of: id, tag: tag, isNew: false))}}"#
    case .delete(let id): #"{"op":"delete","class":"Item","id":\#(id)}"#
    }
  }

  private func transact(_ steps: [Attempt.Step], _ operations: [String], _ tag: String) async {
    let json = #"{"operations":[\#(operations.joined(separator: ","))]}"#
    await send(
      Attempt(tag: tag, kind: .steps(steps)),
      World.request(.post, "/v1/transactions", json: json, fields(tag)))
  }

  /// Adds one to a count, as commands of MongoDB do it: read, change, write what nobody has changed meanwhile.
  private func increment() async {
    let (tag, id) = (makeTag(), draw(scenario.objects))
    let json =
      #"{"dataSource":"mongodb-atlas","database":"d","collection":"Item","filter":{"_id":\#(id)},"#
      + #""update":{"$inc":{"count":1},"$set":{"tag":"\#(tag)"}}}"#
    let request = World.request(.post, "/app/simulated/endpoint/data/v1/action/updateOne", json: json)
    world.begin(Attempt(tag: tag, kind: .increment(id)))
    guard let answer = await world.send(request, onLoop: index), answer.status == 200 else { return }
    let isDone = (try? answer.value["modifiedCount"]?.integer) == 1
    world.note(isDone ? .performed : .refused(200), of: tag)
  }

  private func writeGroup() async {
    let (tag, group) = (makeTag(), draw(3))
    let request = World.request(
      .patch, "/v1/collections/Item?filter=group%20%3D%3D%20\(group)",
      json: #"{"tag":"\#(tag)","n":\#(draw(5))}"#)
    await send(Attempt(tag: tag, kind: .group(group)), request)
  }

  private func load() async {
    let tag = makeTag()
    let ids = (0..<3 + draw(6)).map { _ in draw(scenario.objects * 4) }
    let steps = Set(ids).sorted().map { Attempt.Step.insert($0) }
    let lines = Set(ids).sorted().map { "{\(values(of: $0, tag: tag, isNew: true))}\n" }.joined()
    var fields = fields(tag)
    fields["content-type"] = "application/x-ndjson"
    await send(
      Attempt(tag: tag, kind: .steps(steps)),
      World.request(.post, "/v1/collections/Item", json: lines, fields))
  }

  /// Loads so much that its bytes are counted.
  private func loadMuch() async {
    let tag = makeTag()
    let text = String(repeating: "y", count: 30_000)
    let ids = (0..<3).map { $0 + 20_000 + 10 * index }
    let lines = ids.map { id in
      let owner = id % 2 == 0 ? "other" : "me"
      let text = (id % 2 == 0 ? "FOREIGN" : "OWN") + text
      return #"{"_id":\#(id),"n":0,"tag":"\#(tag)","text":"\#(text)","owner":"\#(owner)","group":0}"# + "\n"
    }
    var fields = fields(tag)
    fields["content-type"] = "application/x-ndjson"
    await send(
      Attempt(tag: tag, kind: .steps(ids.map { .insert($0) })),
      World.request(.post, "/v1/collections/Item", json: lines.joined(), fields))
    for id in ids { await write([.delete(id)]) }
  }

  /// Has a function of the program write, with arguments in BSON.
  private func callFunction() async {
    let (tag, id) = (makeTag(), draw(scenario.objects))
    let isNew = draw(2) == 0
    guard let object = try? Value(json: "{\(values(of: id, tag: tag, isNew: isNew))}", as: .plain),
      let content = try? (["arguments": .array(isNew ? [object] : [.int64(Int64(id)), object])] as Document)
        .bson()
    else { return }
    var attempt = Attempt(tag: tag, kind: .steps([isNew ? .insert(id) : .update(id)]))
    attempt.isRecorded = false
    world.begin(attempt)
    let request = World.request(
      .post, "/v1/functions/\(isNew ? "insert" : "update")", content: content,
      ["content-type": "application/bson", "accept": "application/bson"])
    guard let answer = await world.send(request, onLoop: index) else { return }
    if answer.status == 200 {
      guard let result = try? Document(bson: answer.content)["result"], let version = result.integer else {
        return Simulation.fail("\(tag) has the result \(answer.text)")
      }
      return world.note(.acknowledged(Int64(version)), of: tag)
    }
    if answer.status == 400, answer.text.contains("refused") { world.note(.refused(400), of: tag) }
  }

  /// Changes an object as it was read: by itself, or together with another one.
  private func updateOnCondition() async {
    let (tag, id) = (makeTag(), draw(scenario.objects))
    let read = await world.send(World.request(.get, "/v1/collections/Item/\(id)"), onLoop: index)
    guard let read, read.status == 200, let entityTag = read.fields["etag"],
      let version = Int64(entityTag.filter(\.isNumber))
    else { return }
    if draw(2) == 0 { await pause(UInt64(draw(20))) }
    var attempt = Attempt(tag: tag, kind: .steps([.update(id)]))
    attempt.condition = (id, version)
    let values = values(of: id, tag: tag, isNew: false)
    if draw(2) == 0 {
      var fields = fields(tag)
      fields["if-match"] = entityTag
      await send(attempt, World.request(.patch, "/v1/collections/Item/\(id)", json: "{\(values)}", fields))
    } else {
      let json =
        #"{"operations":[{"op":"update","class":"Item","id":\#(id),"ifVersion":\#(version),"set":{\#(values)}}]}"#
      await send(attempt, World.request(.post, "/v1/transactions", json: json, fields(tag)))
    }
  }

  /// Makes a request once more whose answer has come, perhaps from a gateway that has crashed since: the answer is the first one.
  private func repeatAnswered() async {
    let (tag, request, first) = answered[draw(answered.count)]
    guard world.attempts[tag]?.outcome == first.version.map({ .acknowledged($0) }) else { return }
    guard let answer = await world.send(request, onLoop: index), answer.status < 500,
      ![409, 429].contains(answer.status),
      // A crash may have taken it back.
      case .acknowledged? = world.attempts[tag]?.outcome
    else { return }
    guard answer.status == first.status, answer.version == first.version, answer.content == first.content
    else {
      return Simulation.fail(
        "\(tag) was answered by \(first.status) \(first.text), and the same request then by \(answer.status) \(answer.text)"
      )
    }
  }

  /// A key that makes trying again harmless, for some.
  private func fields(_ tag: String) -> [String: String] {
    draw(3) == 0 ? ["idempotency-key": "\"\(tag)\""] : [:]
  }

  private func send(_ attempt: Attempt, _ request: Request) async {
    world.begin(attempt)
    let mayRepeat = request.fields.contains("idempotency-key")
    var repetitions = 0
    while true {
      let floor = world.floorNow
      let patience: Duration? = draw(20) == 0 ? .microseconds(draw(5_000)) : nil
      let answer = await world.send(request, onLoop: index, patience: patience)
      switch answer?.status {
      case .some(200..<300):
        // Nothing matched: nothing was written.
        guard let answer, let version = answer.version else {
          return world.note(.refused(200), of: attempt.tag)
        }
        if mayRepeat { answered.append((attempt.tag, request, answer)) }
        return world.note(.acknowledged(version), of: attempt.tag)
      case .some(let status)
      where (400..<500).contains(status) && answer?.text.contains("idempotency_key_in_use") != true:
        // A request that was left before may still be on its way to the node that leads, which knows nothing of it yet.
        if repetitions > 0, scenario.nodes > 1 { return }
        world.note(.refused(status), of: attempt.tag)
        if status == 404, attempt.condition == nil, case .steps(let steps) = attempt.kind, steps.count == 1 {
          noteAbsence(steps[0], floor)
        }
        if status == 409, answer?.text.contains("object_exists") == true,
          case .steps(let steps) = attempt.kind, steps.count == 1, case .insert(let id) = steps[0]
        {
          world.note(.presence(id), since: floor, by: "c\(index)")
        }
        return
      default: break
      }
      Simulation.note("\(attempt.tag): \(answer.map { "\($0.status) \($0.text)" } ?? "no answer")")
      repetitions += 1
      guard mayRepeat, repetitions < 20 else { return }
      await world.pause(1...50)
    }
  }

  private func noteAbsence(_ step: Attempt.Step, _ floor: Floor) {
    switch step {
    case .update(let id), .delete(let id): world.note(.object(id, nil), since: floor, by: "c\(index)")
    case .insert: break
    }
  }

  private func changeSchema() async {
    world.didChangeSchema()
    let request = World.request(
      .put, "/v1/schema", json: SchemaForm(properties: world.newProperties + 1).json)
    if let answer = await world.send(request, onLoop: index), answer.status == 200 {
      world.newProperties += 1
    }
  }

  // Reads

  /// Returns the keys of the objects that are there.
  @discardableResult
  private func readAll() async -> [Int] {
    let floor = world.floorNow
    let request = World.request(.get, "/v1/collections/Item?sort=_id&limit=1000")
    guard let answer = await world.send(request, onLoop: index), answer.status == 200 else { return [] }
    guard let objects = try? answer.value.values?.compactMap(\.members) else { return [] }
    world.note(.all(objects), since: floor, by: "c\(index)")
    return objects.map(Plain.key)
  }

  /// Reads all objects as often as brings the pages into the cache, and then some; changes several at once, of those that were there.
  func readAgain() async {
    for _ in 0..<60 {
      let ids = await readAll()
      if draw(3) == 0, !ids.isEmpty { await replace(ids) }
      await world.pause(0...5)
    }
  }

  private func readGroup() async {
    let (floor, group) = (world.floorNow, draw(3))
    let request = World.request(
      .get, "/v1/collections/Item?filter=group%20%3D%3D%20\(group)&sort=_id&limit=1000")
    guard let answer = await world.send(request, onLoop: index), answer.status == 200 else { return }
    guard let objects = try? answer.value.values?.compactMap(\.members) else { return }
    world.note(.group(group, objects), since: floor, by: "c\(index)")
  }

  private func readObject() async {
    let (floor, id) = (world.floorNow, draw(scenario.objects))
    guard let answer = await world.send(World.request(.get, "/v1/collections/Item/\(id)"), onLoop: index)
    else { return }
    switch answer.status {
    case 200:
      if let object = try? answer.value.members {
        world.note(.object(id, object), since: floor, by: "c\(index)")
      }
    case 404: world.note(.object(id, nil), since: floor, by: "c\(index)")
    default: break
    }
  }

  /// Reads all objects as they were at a version that is there for good.
  private func readPast() async {
    guard world.floor >= world.schemaFloor else { return }
    let version = Int64.random(in: world.schemaFloor...world.floor, using: &generator)
    let request = World.request(.get, "/v1/collections/Item?sort=_id&limit=1000&at=\(version)")
    guard let answer = await world.send(request, onLoop: index), answer.status == 200 else { return }
    guard let objects = try? answer.value.values?.compactMap(\.members) else { return }
    // Another client may have changed the schema meanwhile, in which the past is shown.
    guard version >= world.schemaFloor else { return }
    world.note(.all(objects), at: version, by: "c\(index)")
  }

  /// Reads everything that anybody was told of, if that is answered.
  func readStrictly(by service: Service) async {
    let floor = world.floorNow
    let request = World.request(
      .get, "/v1/collections/Item?sort=_id&limit=1000", ["read-consistency": "linearizable"])
    guard let answer = await service.answer(request, onLoop: 0), answer.status == 200,
      let objects = try? answer.value.values?.compactMap(\.members)
    else { return }
    world.note(.all(objects), since: floor, by: "c\(index), for certain,")
  }

  // When nothing fails any more

  /// Writes one more object; false: it was not taken.
  func insertLast(_ number: Int, by service: Service) async -> Bool {
    let tag = makeTag()
    world.begin(Attempt(tag: tag, kind: .steps([.insert(10_000 + number)])))
    let json = "{\(values(of: 10_000 + number, tag: tag, isNew: true))}"
    let answer = await service.answer(World.request(.post, "/v1/collections/Item", json: json), onLoop: 0)
    guard let answer, answer.status == 201, let version = answer.version else { return false }
    world.note(.acknowledged(version), of: tag)
    return true
  }

  /// Reads everything, which has to be answered.
  func readAll(by service: Service) async throws {
    let floor = world.floorNow
    guard
      let answer = await service.answer(
        World.request(.get, "/v1/collections/Item?sort=_id&limit=1000"), onLoop: 0),
      answer.status == 200, let objects = try answer.value.values?.compactMap(\.members)
    else { throw Failure("the objects cannot be read") }
    world.note(.all(objects), since: floor, by: "the last reader")
  }
}

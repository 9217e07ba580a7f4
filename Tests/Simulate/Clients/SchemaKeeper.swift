import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded

/// An administrator, who adds, alters and removes classes while clients are at work, and writes objects of the class that comes and goes.
///
/// Only it changes the schema, so that it knows which one the store has, but for requests whose outcome nobody was told of: they may take
/// place until the process has ended.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class SchemaKeeper: @unchecked Sendable {
  private let world: World
  private var generator: SeededGenerator
  private var form = SchemaForm()
  /// The notes that are there, each with its number as text, and those that may be.
  private var notes: [Int: String] = [:]
  private var unclear: Set<Int> = []
  /// The process in which a request was made whose outcome is not known; nil: the schema and the notes are as noted.
  private var uncertainSince: Int?
  private var generation: Int
  private var count = 0

  init(in world: World) {
    self.world = world
    generator = world.scenario.generator(66)
    generation = world.generation
  }

  private func draw(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  func run() async {
    for _ in 0..<12 {
      await world.pause(1...120)
      await world.untilUp()
      meetCrash()
      if uncertainSince != nil {
        await removeNotes()
      } else if form.hasNotes, draw(2) == 0 {
        if draw(3) == 0 { await readNotes() } else { await writeNote() }
      } else {
        await changeSchema()
      }
    }
  }

  /// A crash may take back what was answered before it was durable.
  private func meetCrash() {
    guard generation != world.generation else { return }
    generation = world.generation
    if world.scenario.window > 0, uncertainSince == nil { uncertainSince = generation - 1 }
  }

  private func send(_ method: GatehouseHTTP.Method, _ path: String, json: String? = nil) async -> Answer? {
    let begin = generation
    let answer = await world.send(World.request(method, path, json: json), onLoop: 1)
    Simulation.note("schema: \(method) \(path) \(answer.map { "\($0.status)" } ?? "-")")
    meetCrash()
    if let answer, answer.status == 429 { return nil }
    if let answer, answer.status < 500 { return answer }
    if method != .get { uncertainSince = max(uncertainSince ?? 0, max(begin, generation)) }
    return nil
  }

  // The schema

  private func changeSchema() async {
    var next = form
    var rename = ""
    switch draw(form.hasNotes ? 8 : 4) {
    case 0: next.isIndexed.toggle()
    case 1: next.hasCheck.toggle()
    case 2 where world.scenario.hasSchemaChanges && form.properties < 4: next.properties += 1
    case 3, 4: next.hasNotes.toggle()
    case 5: next.hasTextNumbers.toggle()
    case 6: next.hasUniqueTexts.toggle()
    case 7:
      next.textName = form.textName == "text" ? "body" : "text"
      rename = "&rename=Note.\(form.textName):\(next.textName)"
    default: return
    }
    if next.properties != form.properties { world.didChangeSchema() }
    guard let answer = await send(.put, "/v1/schema?destructive=true\(rename)", json: next.json) else {
      return
    }
    guard answer.status == 200 else {
      // Objects may break a rule that is new.
      if !next.hasCheck || form.hasCheck {
        Simulation.fail("the schema \(next.json) is refused: \(answer.status) \(answer.text)")
      }
      return
    }
    if form.hasNotes, !next.hasNotes { (notes, unclear) = ([:], []) }
    form = next
    world.newProperties = form.properties
    await readSchema(answer.text)
  }

  /// Removes the class of which nobody knows whether it is there, once a process has ended that may still have added it.
  private func removeNotes() async {
    form.hasNotes = false
    let since = uncertainSince ?? 0
    guard let answer = await send(.put, "/v1/schema?destructive=true", json: form.json), answer.status == 200
    else { return }
    (notes, unclear) = ([:], [])
    if since < generation, uncertainSince == since { uncertainSince = nil }
  }

  private func readSchema(_ expected: String) async {
    guard uncertainSince == nil, let answer = await send(.get, "/v1/schema"), answer.status == 200,
      uncertainSince == nil
    else { return }
    func withoutTrail(_ text: String) throws -> [Value] {
      try (Value(json: Array(text.utf8), as: .plain).values ?? []).filter { $0["name"]?.text != "AuditEvent" }
    }
    if let now = try? withoutTrail(answer.text), let made = try? withoutTrail(expected), now == made {
      return
    }
    Simulation.fail("the schema was made \(expected), and is \(answer.text)")
  }

  // Notes

  private func writeNote() async {
    count += 1
    let (id, object) = (count, draw(world.scenario.objects))
    let number = form.hasTextNumbers ? "\"\(id)\"" : "\(id)"
    let link = draw(2) == 0 ? "" : #","item":\#(object)"#
    let json =
      #"{"_id":\#(id),"\#(form.textName)":"note-\#(id)","number":\#(number),"marks":[{"mark":"m"}]\#(link)}"#
    unclear.insert(id)
    guard let answer = await send(.post, "/v1/collections/Note", json: json) else { return }
    unclear.remove(id)
    if answer.status == 201 { notes[id] = "note-\(id)" }
    if answer.status != 201, link.isEmpty, uncertainSince == nil {
      Simulation.fail("a note is refused: \(answer.status) \(answer.text)")
    }
  }

  /// All notes are there, and no others, in the terms of the schema as it is.
  private func readNotes() async {
    let form = form
    guard let answer = await send(.get, "/v1/collections/Note?sort=_id&limit=1000"), uncertainSince == nil
    else { return }
    guard answer.status == 200, let objects = try? answer.value.values else {
      return Simulation.fail("notes cannot be read: \(answer.status) \(answer.text)")
    }
    var missing = notes
    for object in objects {
      guard let id = object["_id"]?.integer, missing.removeValue(forKey: id) != nil || unclear.contains(id)
      else {
        return Simulation.fail("there is the note \(object), which nobody has written: \(notes)")
      }
      let number = form.hasTextNumbers ? object["number"]?.text : object["number"]?.integer.map { "\($0)" }
      guard object[form.textName]?.text == "note-\(id)", number == "\(id)",
        object["marks"]?.values?.count == 1
      else { return Simulation.fail("a note is \(object), after changes of its class") }
    }
    if !missing.isEmpty { Simulation.fail("notes are gone: \(missing.keys.sorted()) of \(answer.text)") }
  }
}

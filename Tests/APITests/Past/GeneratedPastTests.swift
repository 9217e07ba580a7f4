import GatehouseBSON
import GatehouseHTTP
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Generated stores that change at random are asked what they were, and answer what they answered then.
struct GeneratedPastTests {
  private static func choices(world: Int) -> Chooser {
    Chooser(seed: VisibilityTests.seed &* 17_000_003 &+ UInt64(world))
  }

  /// A question, and its pages as they were answered at a version.
  private struct Memory {
    let version: Int64
    let question: GeneratedQuestion
    let pages: [String]
  }

  @Test(arguments: 0..<VisibilityTests.worlds)
  func `every question about a version is answered as it was then`(world number: Int) async throws {
    var choose = Self.choices(world: number)
    let world = GeneratedWorld(&choose)
    let store = try await GeneratedStore(world, roles: "{}", roleCount: 0)
    var memories: [Memory] = []
    for step in 0..<24 {
      if step > 0 { try await change(world, store, &choose, step: step) }
      for _ in 0..<5 {
        let question = GeneratedQuestion.random(in: world, &choose)
        guard let pages = try await pages(of: question, store, store.administrator) else { continue }
        memories.append(Memory(version: store.fixture.store.version, question: question, pages: pages))
      }
    }
    #expect(memories.count > 20)
    for memory in memories.reversed() {
      let asked = memory.question.at(memory.version)
      let pages = try await pages(of: asked, store, store.administrator)
      #expect(pages == memory.pages, "world \(number), \(asked)")
    }
    await store.remove()
  }

  /// A store that only ever had what somebody could see then and can see now tells the same of it.
  @Test(arguments: 0..<VisibilityTests.worlds)
  func `nobody is told of the past what rules hid then or hide now`(world number: Int) async throws {
    var choose = Self.choices(world: 1000 + number)
    var world = GeneratedWorld(&choose)
    let store = try await GeneratedStore(world, roles: world.roles, roleCount: world.rules.count)
    var moments: [(version: Int64, world: GeneratedWorld)] = []
    for _ in 0..<3 {
      moments.append((store.fixture.store.version, world))
      for _ in 0..<6 { try await assign(&world, store, &choose) }
    }
    for (version, past) in moments {
      let shown = past.seen { past.shows($0) && world.shows($0) }
      let pruned = try await GeneratedStore(shown, roles: world.openRoles, roleCount: 1)
      for _ in 0..<20 {
        let question = GeneratedQuestion.random(in: world, &choose)
        let told = try await pages(of: question.at(version), store, store.user)
        let may = try await pages(of: question, pruned, pruned.user)
        #expect(told == may, "world \(number), \(world.roles), \(version): \(question)")
      }
      await pruned.remove()
    }
    await store.remove()
  }

  /// Returns what all pages show, up to a few; nil: the question means nothing.
  private func pages(
    of question: GeneratedQuestion, _ store: GeneratedStore, _ caller: [String: String]
  ) async throws -> [String]? {
    var question = question
    var pages: [String] = []
    for _ in 0..<4 {
      let answer = try await store.fixture.send(
        question.method, question.target, caller.merging(question.fields) { $1 },
        question.content.map { Array($0.utf8) })
      #expect(answer.status < 500, "\(question): \(answer.text)")
      guard answer.status == 200 else { return nil }
      pages.append("\(answer.fields["total-count"] ?? "") \(answer.text)")
      guard let next = answer.fields["link"]?.firstMatch(of: #/<([^>]+)>; rel="next"/#) else { return pages }
      question.target = String(next.1)
    }
    return pages
  }

  private func change(
    _ world: GeneratedWorld, _ store: GeneratedStore, _ choose: inout Chooser, step: Int
  ) async throws {
    var world = world
    switch choose.number(below: 8) {
    case 0:
      let link = choose.one(of: world.links)
      _ = try await send(.delete, path(of: link, world), nil, store)
    case 1, 2:
      // One that was deleted comes back as another object.
      let isNew = choose.chance(percent: 30)
      let link = choose.one(of: world.links)
      let made = isNew ? PlainLink(objectType: link.objectType, number: 100 + step) : link
      let mode = choose.one(of: ["", "?mode=all", "?mode=modified"])
      _ = try await send(
        .post, "/v1/collections/\(link.objectType)\(mode)", "{\(world.members(ofNew: made, &choose))}", store)
    case 3:
      let link = choose.one(of: world.links)
      let lists = world.schema[link.objectType]?.properties.filter(\.kind.isList) ?? []
      guard let list = lists.first else { fallthrough }
      let path = "\(path(of: link, world))/\(list.name)"
      let value = world.json(world.value(of: list, &choose), list.kind)
      _ = try await send(choose.one(of: [.post, .put]), path, value, store)
      _ = try await send(.delete, "\(path)/\(choose.one(of: ["0", "1", "-1"]))", nil, store)
    default: try await assign(&world, store, &choose)
    }
  }

  /// Gives a property of an object another value.
  private func assign(
    _ world: inout GeneratedWorld, _ store: GeneratedStore, _ choose: inout Chooser
  ) async throws {
    let link = choose.one(of: world.links)
    let properties = world.schema[link.objectType]?.properties.filter { !$0.kind.isLinkingObjects } ?? []
    let property = choose.one(of: properties)
    let value = world.value(of: property, &choose)
    let status = try await send(
      .put, "\(path(of: link, world))/\(property.name)", world.json(value, property.kind), store)
    if status < 300 { world.set(value, property.name, of: link) }
  }

  private func path(of link: PlainLink, _ world: GeneratedWorld) -> String {
    "/v1/collections/\(link.objectType)/\(world.id(of: link, quote: ""))"
  }

  private func send(
    _ method: GatehouseHTTP.Method, _ target: String, _ json: String?, _ store: GeneratedStore
  ) async throws -> UInt16 {
    let fields = store.administrator.merging(["content-type": "application/json"]) { $1 }
    let answer = try await store.fixture.send(
      method, target, json == nil ? store.administrator : fields, json.map { Array($0.utf8) })
    #expect(answer.status < 500, "\(method) \(target): \(answer.text)")
    return answer.status
  }
}

extension GeneratedQuestion {
  /// The same question about a version.
  fileprivate func at(_ version: Int64) -> GeneratedQuestion {
    var question = self
    question.target += "\(target.contains("?") ? "&" : "?")at=\(version)"
    return question
  }
}

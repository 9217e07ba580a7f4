import GatehouseBSON
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Callers of generated stores, whose roles have generated rules, are told what they are told by a store that never had
/// what the rules hide: the same bytes, fields, pages and errors.
@Suite(.boundedWorlds) struct GeneratedVisibilityTests {
  private static let isLong = VisibilityTests.worlds > 6

  private static func choices(world: Int) -> Chooser {
    Chooser(seed: VisibilityTests.seed &* 11_000_003 &+ UInt64(world))
  }

  @Test(arguments: 0..<VisibilityTests.worlds)
  func `every route answers as if what is hidden had never been`(world number: Int) async throws {
    var choose = Self.choices(world: number)
    let world = GeneratedWorld(&choose)
    let whole = try await GeneratedStore(world, roles: world.roles, roleCount: world.rules.count)
    let pruned = try await GeneratedStore(world.visible, roles: world.openRoles, roleCount: 1)
    let count = Self.isLong ? 400 : 120
    var answered = 0
    for _ in 0..<count {
      let question = GeneratedQuestion.random(in: world, &choose)
      if try await compare(question, whole, pruned, "world \(number), \(world.roles)") { answered += 1 }
    }
    // Questions that mean nothing have to be refused alike, and are not what is to be found out.
    #expect(answered > count / 3)
    await whole.remove()
    await pruned.remove()
  }

  /// Returns whether the question was answered, on all of its pages.
  private func compare(
    _ question: GeneratedQuestion, _ whole: GeneratedStore, _ pruned: GeneratedStore, _ place: String
  ) async throws -> Bool {
    var (asked, expected) = (question, question)
    for _ in 0..<8 {
      let told = try await whole.answer(asked)
      let may = try await pruned.answer(expected)
      let isSame = Told(told) == Told(may) && told.status < 500
      #expect(isSame, "\(place): \(question)\ntold \(Told(told))\nmay  \(Told(may))")
      guard isSame, told.status == 200 else { return told.status == 200 }
      if let tag = told.fields["etag"], question.fields["if-none-match"] == nil {
        var conditional = question
        conditional.fields["if-none-match"] = tag
        _ = try await compare(conditional, whole, pruned, place)
        conditional.fields["if-none-match"] = nil
        conditional.fields["if-match"] = "\"3\""
        conditional.fields["if-none-match"] = "\"3\""
        _ = try await compare(conditional, whole, pruned, place)
      }
      guard let next = told.nextPage, let other = may.nextPage else { return true }
      (asked.target, expected.target) = (next, other)
    }
    return true
  }

  @Test(.enabled(if: GeneratedStore.hasNode, "node is not there"), arguments: 0..<VisibilityTests.worlds)
  func `functions find by context.realm what their caller may see`(world number: Int) async throws {
    var choose = Self.choices(world: number)
    let world = GeneratedWorld(&choose)
    let whole = try await GeneratedStore(world, roles: world.roles, roleCount: world.rules.count)
    let pruned = try await GeneratedStore(world.visible, roles: world.openRoles, roleCount: 1)
    for _ in 0..<(Self.isLong ? 40 : 12) {
      let link = choose.one(of: world.links)
      let filter = GeneratedFilter(world: world).filter(on: link.objectType, &choose)
      let order = choose.one(of: ["", "n", "s"])
      let arguments = Value.array([.string(link.objectType), .string(filter), .string(order)]).plainJSON
      let question = GeneratedQuestion(
        method: .post, target: "/v1/functions/ask", fields: ["content-type": "application/json"],
        content: String(decoding: arguments.dropLast(), as: UTF8.self) + ",\(world.id(of: link))]")
      let told = try await whole.answer(question)
      let may = try await pruned.answer(question)
      try #require(told.status == 200, "\(told.text)")
      #expect(told.text == may.text, "world \(number), \(world.roles): \(question)")
    }
    await whole.remove()
    await pruned.remove()
  }

  /// The property that changes is one that no rule looks at; new objects link to whatever there is.
  @Test(arguments: 0..<VisibilityTests.worlds)
  func `the answer of a write shows what a read shows`(world number: Int) async throws {
    var choose = Self.choices(world: number)
    let world = GeneratedWorld(&choose)
    let store = try await GeneratedStore(world, roles: world.roles, roleCount: world.rules.count)
    for step in 0..<20 {
      let link = choose.one(of: world.links)
      let path = "/v1/collections/\(link.objectType)"
      let isNew = choose.chance(percent: 30)
      let id = isNew ? PlainLink(objectType: link.objectType, number: 100 + step) : link
      let members = isNew ? world.members(ofNew: id, &choose) : "\"d\":\(step).5"
      let type = choose.one(of: ["application/json", "application/ejson", "application/bson"])
      let accept = store.user.merging(["accept": type]) { $1 }
      let target = "\(path)/\(world.id(of: id, quote: ""))"
      let written = try await store.fixture.send(
        isNew ? .post : .patch, isNew ? path : target, accept, json: "{\(members)}")
      let read = try await store.fixture.send(.get, target, accept)
      guard read.status == 200 else { continue }
      #expect(written.status == (isNew ? 201 : 200), "\(written.text)")
      #expect(written.text == read.text, "world \(number), \(world.roles): \(target)")
      #expect(read.fields["etag"]?.hasPrefix("\"s") == true || written.fields["etag"] == read.fields["etag"])
    }
    await store.remove()
  }

  /// The key in a cursor would tell how many objects have been made, hidden ones included.
  @Test func `cursors are sealed where something is hidden`() async throws {
    try await Fixture.with { fixture in
      try await fixture.populate()
      let access = fixture.gateway.context.access
      let admin = [
        "authorization": "Bearer \(try await access.makeKey(name: "", role: "admin", classes: []).text)"
      ]
      let roles = #"{"some":{"classes":{"City":{"read":"population > 2200000"}}}}"#
      #expect(try await fixture.send(.put, "/v1/roles", admin, json: roles).status == 200)
      let some = [
        "authorization": "Bearer \(try await access.makeKey(name: "", role: "some", classes: []).text)"
      ]
      let target = "/v1/collections/City?limit=1&fields=_id"
      var pages: [String] = []
      var next: String? = target
      while let page = next {
        let answer = try await fixture.send(.get, page, some)
        pages.append(answer.text)
        next = answer.nextPage
      }
      #expect(pages == [#"[{"_id":1}]"#, #"[{"_id":2}]"#, #"[{"_id":4}]"#])
      var links: [String?] = []
      for caller in [some, some, admin] {
        links.append(try await fixture.send(.get, target, caller).nextPage)
      }
      #expect(links[0] != links[1])
      let open = try #require(links[2])
      #expect(try await fixture.send(.get, open, admin).text == #"[{"_id":2}]"#)
      #expect(try await fixture.send(.get, open, some).code == "invalid_cursor")
      #expect(try await fixture.send(.get, try #require(links[0]), admin).code == "invalid_cursor")
    }
  }

  /// Each change is one of a property of an object: of what is shown, of what rules look at, of links.
  @Test(arguments: 0..<VisibilityTests.worlds)
  func `streams of results show what a fresh read shows`(world number: Int) async throws {
    var choose = Self.choices(world: number)
    let world = GeneratedWorld(&choose)
    let store = try await GeneratedStore(world, roles: world.roles, roleCount: world.rules.count)
    var watched: [(target: String, watcher: Watcher, replica: ResultsReplica, applied: Int)] = []
    while watched.count < 4 {
      let name = choose.one(of: world.schema.names)
      let parameters = GeneratedQuestion.query(of: name, in: world, &choose).filter { $0.0 != "aggregate" }
      let target = "/v1/collections/\(name)" + GeneratedQuestion.encoded(parameters + [("mode", "results")])
      let fresh = "/v1/collections/\(name)" + GeneratedQuestion.encoded(parameters)
      guard try await store.fixture.send(.get, fresh, store.user).status == 200,
        let watcher = try? await store.fixture.watch(target, store.user)
      else { continue }
      watched.append((fresh, watcher, ResultsReplica(), 0))
    }
    for step in 0..<8 {
      if step > 0 { try await change(world, store, &choose) }
      for index in watched.indices {
        let read = try await store.fixture.send(.get, watched[index].target, store.user)
        try #require(read.status == 200, "\(read.text)")
        let fresh = ResultsReplica.shown(try Value(json: read.text))
        var isEqual = false
        // The update comes when it comes; what is waited for is the state, not a time.
        for _ in 0..<20_000 {
          let events = StreamEvent.all(in: watched[index].watcher.text)
          for event in events[watched[index].applied...] { try watched[index].replica.apply(event) }
          watched[index].applied = events.count
          isEqual = watched[index].replica.value == fresh && events.count > 0
          if isEqual { break }
          await store.fixture.settle()
          await Task.yield()
        }
        try #require(
          isEqual,
          """
          world \(number), step \(step), \(world.roles), \(watched[index].target): \
          \(watched[index].replica.value) is not \(fresh)
          """)
      }
    }
    await store.remove()
  }

  private func change(
    _ world: GeneratedWorld, _ store: GeneratedStore, _ choose: inout Chooser
  ) async throws {
    let link = choose.one(of: world.links)
    let properties = world.schema[link.objectType]?.properties.filter { !$0.kind.isLinkingObjects } ?? []
    let property = choose.one(of: properties)
    let value = world.json(world.value(of: property, &choose), property.kind)
    let answer = try await store.fixture.send(
      .patch, "/v1/collections/\(link.objectType)/\(world.id(of: link, quote: ""))", store.administrator,
      json: "{\"\(property.name)\":\(value)}")
    try #require(answer.status == 200, "\(answer.text)")
  }
}

/// All that an answer tells, but for what names the request, and the text of cursors.
private struct Told: Hashable, CustomStringConvertible {
  let status: UInt16
  let fields: [String: String]
  let text: String

  init(_ answer: Answer) {
    status = answer.status
    var fields = answer.fields
    fields["x-request-id"] = nil
    if answer.status >= 400 { fields["content-length"] = nil }
    if let link = fields["link"] { fields["link"] = link.replacing(#/cursor=[\w-]+/#, with: "cursor=") }
    self.fields = fields
    text = answer.text.replacing(#/"requestId":"\w+"/#, with: "")
  }

  var description: String { "\(status) \(fields) \(text)" }
}

extension Answer {
  /// The target of the next page; nil: this is the last one.
  fileprivate var nextPage: String? {
    fields["link"]?.firstMatch(of: #/<([^>]+)>; rel="next"/#).map { String($0.1) }
  }
}

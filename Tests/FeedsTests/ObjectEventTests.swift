import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseFeeds

/// Whole frames of what changes are to those who watch objects, told live and by a replay alike.
@Suite struct ObjectEventTests {
  private static let schema = """
    [{"name":"Country","primaryKey":"code","properties":{"code":"string","name":"string"}},\
    {"name":"City","primaryKey":"_id","properties":{"_id":"int","name":"string","n":"int?","country":"Country?",\
    "place":"Place?"}},\
    {"name":"Place","embedded":true,"properties":{"x":"int"}},{"name":"Note","properties":{"text":"string"}}]
    """

  /// Two countries and a city in version 2; it changes, moves, and is gone in version 6.
  private static func filled() async throws -> FeedStore {
    let store = try await FeedStore(schema)
    try await store.commit(
      store.creation("Country", #"{"code":"DE","name":"Germany"}"#),
      store.creation("Country", #"{"code":"FR","name":"France"}"#),
      store.creation("City", #"{"_id":1,"name":"Ulm","n":1,"country":"DE","place":{"x":4}}"#))
    try await store.commit(store.update("City", .int(1), #"{"n":2,"place":{"x":5}}"#))
    try await store.commit(store.update("Country", .string("DE"), #"{"name":"Deutschland"}"#))
    try await store.commit(store.update("City", .int(1), #"{"country":"FR"}"#))
    try await store.commit(store.deletion("City", .int(1)))
    return store
  }

  private static func city(_ n: Int, _ country: String, _ x: Int) -> String {
    #""object":{"_id":1,"name":"Ulm","n":\#(n),"country":"\#(country)","place":{"x":\#(x)}}"#
  }

  private static let start = #"{"class":"City","id":1,"version":"#

  @Test(arguments: Mode.allCases)
  func `a frame has position, name, subject, version, time and object`(mode: Mode) async throws {
    let store = try await Self.filled()
    var subscription = Subscription(.object("City", id: .int(1)))
    subscription.keyPaths = "n"
    let frames = try store.events(subscription, after: 1, mode).text
    #expect(
      frames == """
        id: 2-2
        event: insert
        data: {"class":"City","id":1,"version":2,\(FeedStore.time),\(Self.city(1, "DE", 4))}

        id: 3-0
        event: update
        data: {"class":"City","id":1,"version":3,\(FeedStore.time),\(Self.city(2, "DE", 5)),"changed":["n","place"]}

        id: 6-0
        event: delete
        data: {"class":"City","id":1,"version":6,\(FeedStore.time),"reason":"deleted"}


        """)
  }

  @Test(arguments: Mode.allCases)
  func `a class tells of changes behind links, before the change itself`(mode: Mode) async throws {
    let store = try await Self.filled()
    #expect(
      try store.lines(Subscription(.objectType("City")), after: 2, mode) == [
        #"3-0 update \#(Self.start)3,\#(Self.city(2, "DE", 5)),"changed":["n","place"]}"#,
        #"4-0-0 update \#(Self.start)4,\#(Self.city(2, "DE", 5)),"changed":["country"]}"#,
        #"5-0 update \#(Self.start)5,\#(Self.city(2, "FR", 5)),"changed":["country"]}"#,
        #"6-0 delete \#(Self.start)6,"reason":"deleted"}"#,
      ])
  }

  @Test(arguments: Mode.allCases)
  func `a filter through a link has objects begin and cease to match`(mode: Mode) async throws {
    let store = try await Self.filled()
    let subscription = Subscription(
      .objectType("City"), filter: "country.name == $0", arguments: [.string("Deutschland")])
    #expect(
      try store.lines(subscription, after: 1, mode) == [
        #"4-0-0 insert \#(Self.start)4,\#(Self.city(2, "DE", 5)),"reason":"matched"}"#,
        #"5-0 delete \#(Self.start)5,"reason":"unmatched"}"#,
      ])
  }

  @Test(arguments: Mode.allCases)
  func `values stand beside an update, before and after`(mode: Mode) async throws {
    let store = try await Self.filled()
    var subscription = Subscription(.object("City", id: .int(1)))
    subscription.showsValues = true
    subscription.fields = "name"
    let object = #""object":{"name":"Ulm"}"#
    #expect(
      try store.lines(subscription, after: 2, mode) == [
        #"3-0 update \#(Self.start)3,\#(object),"changed":["n","place"],"before":{"n":1,"place":{"x":4}},"#
          + #""after":{"n":2,"place":{"x":5}}}"#,
        #"5-0 update \#(Self.start)5,\#(object),"changed":["country"],"before":{"country":"DE"},"#
          + #""after":{"country":"FR"}}"#,
        #"6-0 delete \#(Self.start)6,"reason":"deleted"}"#,
      ])
  }

  @Test(arguments: Mode.allCases)
  func `a linked object is shown as it was`(mode: Mode) async throws {
    let store = try await Self.filled()
    var subscription = Subscription(.objectType("City"))
    subscription.fields = "country.name"
    let shown = try store.lines(subscription, after: 1, mode).compactMap { line in
      line.split(separator: #""object":"#).dropFirst().first.map { String($0.prefix { $0 != "," }) }
    }
    #expect(
      shown == [
        #"{"country":{"name":"Germany"}}}"#, #"{"country":{"name":"Germany"}}"#,
        #"{"country":{"name":"Deutschland"}}"#, #"{"country":{"name":"France"}}"#,
      ])
  }

  @Test(arguments: Mode.allCases)
  func `empty key paths tell only of what comes and goes`(mode: Mode) async throws {
    let store = try await Self.filled()
    var subscription = Subscription(.objectType("City"), filter: "n > 1")
    subscription.keyPaths = ""
    #expect(
      try store.lines(subscription, after: 1, mode) == [
        #"3-0 insert \#(Self.start)3,\#(Self.city(2, "DE", 5)),"reason":"matched"}"#,
        #"6-0 delete \#(Self.start)6,"reason":"deleted"}"#,
      ])
  }

  @Test func `a hidden property is not shown, and its change is none`() async throws {
    let store = try await Self.filled()
    var subscription = Subscription(.object("City", id: .int(1)))
    let rule = SubscriptionRules.ClassRule(condition: nil, hidden: ["country", "place"])
    subscription.rules = SubscriptionRules(["City": rule])
    let object = #""object":{"_id":1,"name":"Ulm","n":2}"#
    #expect(
      try store.lines(subscription, after: 2) == [
        #"3-0 update \#(Self.start)3,\#(object),"changed":["n"]}"#,
        #"6-0 delete \#(Self.start)6,"reason":"deleted"}"#,
      ])
  }

  @Test func `everything is told with the schema`() async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(store.creation("Note", #"{"text":"a"}"#))
    try await store.apply(
      Self.schema.replacing(#""text":"string""#, with: #""text":"string","b":"bool?""#))
    try await store.commit(store.deletion("Note", .int(0)))
    #expect(
      try store.lines(Subscription(.everything), after: 1) == [
        #"2-0 insert {"class":"Note","id":0,"version":2,"object":{"_key":0,"text":"a","b":null}}"#,
        #"3-0 schema {"version":3}"#,
        #"4-0 delete {"class":"Note","id":0,"version":4,"reason":"deleted"}"#,
      ])
  }

  @Test func `what lies before another type of a property is told in it`() async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(store.creation("Note", #"{"text":"x"}"#))
    try await store.commit(store.update("Note", .int(0), #"{"text":"41"}"#))
    try await store.apply(Self.schema.replacing(#""text":"string""#, with: #""text":"int""#))
    try await store.commit(store.update("Note", .int(0), #"{"text":42}"#))
    #expect(
      try store.lines(Subscription(.everything), after: 1) == [
        #"2-0 insert {"class":"Note","id":0,"version":2,"object":{"_key":0,"text":0}}"#,
        #"3-0 update {"class":"Note","id":0,"version":3,"object":{"_key":0,"text":41},"changed":["text"]}"#,
        #"4-0 schema {"version":4}"#,
        #"5-0 update {"class":"Note","id":0,"version":5,"object":{"_key":0,"text":42},"changed":["text"]}"#,
      ])
  }

  @Test func `what lies before another type of a list's elements is told in it`() async throws {
    let schema = { (one: String, many: String) in
      #"[{"name":"N","properties":{"one":"\#(one)","many":"\#(many)"}}]"#
    }
    let store = try await FeedStore(schema("int", "int[]"))
    try await store.commit(store.creation("N", #"{"one":1,"many":[1,2]}"#))
    try await store.commit(store.update("N", .int(0), #"{"many":[2,10]}"#))
    try await store.commit(store.update("N", .int(0), #"{"one":3}"#))
    try await store.apply(schema("int[]", "string[]"))
    #expect(
      try store.lines(Subscription(.everything), after: 1) == [
        #"2-0 insert {"class":"N","id":0,"version":2,"object":{"_key":0,"one":[1],"many":["1","2"]}}"#,
        #"3-0 update {"class":"N","id":0,"version":3,"object":{"_key":0,"one":[1],"many":["2","10"]},"changed":["many"]}"#,
        #"4-0 update {"class":"N","id":0,"version":4,"object":{"_key":0,"one":[3],"many":["2","10"]},"changed":["one"]}"#,
        #"5-0 schema {"version":5}"#,
      ])
  }

  @Test func `part of a change that was told is not told again`() async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(
      store.creation("Country", #"{"code":"DE","name":"Germany"}"#),
      store.creation("City", #"{"_id":1,"name":"a","country":"DE"}"#),
      store.creation("City", #"{"_id":2,"name":"b","country":"DE"}"#),
      store.creation("City", #"{"_id":3,"name":"c","country":"DE"}"#))
    try await store.commit(store.update("Country", .string("DE"), #"{"name":"D"}"#))
    let subscription = Subscription(.objectType("City"))
    let bound = try subscription.bound(in: store.store.schema)
    let group = SubscriberGroup(number: 1, subscription, bound)
    let start = try #require(EventPosition(text: "3-0-0"))
    let producer = EventProducer(from: start, schema: store.store.schema, limit: 10)
    producer.add(group, bound)
    try store.reader.snapshot { (snapshot) throws(StorageError) -> Void in
      try producer.look(snapshot)
      while try producer.advance(snapshot, limit: 8) {}
    }
    let ids = group.takeEncoded().lines.map { String($0.prefix { $0 != " " }) }
    #expect(ids == ["3-0-1", "3-0-2"])
    #expect(group.takeEncoded().bytes.isEmpty)
  }

  @Test func `a change that concerns too many objects is one resync`() async throws {
    let store = try await FeedStore(Self.schema)
    try await store.commit(
      [store.creation("Country", #"{"code":"DE","name":"Germany"}"#)]
        + (0..<4).map { try store.creation("City", #"{"_id":\#($0),"name":"a","country":"DE"}"#) })
    try await store.commit(store.update("Country", .string("DE"), #"{"name":"D"}"#))
    let subscription = Subscription(.objectType("City"))
    let bound = try subscription.bound(in: store.store.schema)
    let group = SubscriberGroup(number: 1, subscription, bound)
    let producer = EventProducer(
      from: EventPosition(LogPosition(version: 2)), schema: store.store.schema, limit: 3)
    producer.add(group, bound)
    try store.reader.snapshot { (snapshot) throws(StorageError) -> Void in
      try producer.look(snapshot)
      while try producer.advance(snapshot, limit: 8) {}
    }
    #expect(
      group.takeEncoded().text
        == "event: resync\ndata: {\"reason\":\"too_many_objects\",\"position\":\"3-0\"}\n\n")
  }

  @Test func `what a frame shows is observed, with the link that was followed`() async throws {
    let store = try await Self.filled()
    var subscription = Subscription(.object("City", id: .int(1)))
    subscription.recordsReads = true
    subscription.fields = "name,country.name"
    subscription.showsValues = true
    let shown = try store.events(subscription, after: 4).shown
    // The update shows the object before, then after it, and the country that it links to; the deletion shows nothing.
    #expect(shown.map(\.version) == [4, 5])
    #expect(
      shown.map { $0.reads.map { "\($0.object.objectType) \($0.link?.property ?? "-")" } }
        == [["City -"], ["City -", "Country country"]])
    #expect(shown.last?.reads.last?.link?.form == .single)
    #expect(shown.last?.reads.last?.link?.targets.count == 1)
  }

  @Test(
    arguments: [
      ("n ==", .query), ("TRUEPREDICATE SORT(n ASC)", .clauses), ("nothing == 1", .query),
    ] as [(String, Refused)])
  func `what cannot be watched is refused`(filter: String, refused: Refused) async throws {
    let store = try await FeedStore(Self.schema)
    do throws(SubscriptionError) {
      try Subscription(.objectType("City"), filter: filter).check(in: store.store.schema)
      Issue.record("\(filter) is watched")
    } catch {
      #expect(Refused(error) == refused)
    }
  }

  enum Refused: Equatable, Sendable {
    case query, clauses, other

    init(_ error: SubscriptionError) {
      switch error {
      case .query: self = .query
      case .clauses: self = .clauses
      case .unknownClass, .unwatchableFilter, .unknownKeyPath, .unwatchableKeyPath, .path, .notObjects:
        self = .other
      }
    }
  }

  @Test(
    arguments: [
      ("nothing", .unknownKeyPath("nothing", objectType: "City")), ("n.x", .unwatchableKeyPath("x")),
      ("country.nothing", .unknownKeyPath("nothing", objectType: "Country")),
    ] as [(String, SubscriptionError)])
  func `key paths that lead nowhere are refused`(keyPaths: String, error: SubscriptionError) async throws {
    let store = try await FeedStore(Self.schema)
    var subscription = Subscription(.objectType("City"))
    subscription.keyPaths = keyPaths
    #expect(throws: error) { try subscription.check(in: store.store.schema) }
  }

  @Test func `only classes of objects can be watched`() async throws {
    let store = try await FeedStore(Self.schema)
    for name in ["Place", "Nothing"] {
      #expect(throws: SubscriptionError.unknownClass(name)) {
        try Subscription(.objectType(name)).check(in: store.store.schema)
      }
    }
  }
}

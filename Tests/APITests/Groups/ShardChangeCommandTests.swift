import GatehouseBSON
import GatehouseHTTP
import GatehouseModel
import GatehouseSeeded
import GatehouseStorage
import Testing

@testable import GatehouseAPI

/// Commands of App Services' data sources that write to a class with shards, and do not say to which one.
@Suite struct ShardChangeCommandTests {
  private static let rule = #"{"read":"n != 2","write":"n != 2"}"#

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `commands have the answers, and leave the documents, that they have in one store`(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    try await ShardedFixture.with(shards: .random(in: 2...7, using: &random)) { fixture, _ in
      let (administrator, member) = try await fixture.callers(
        under: #"{"member":{"classes":{"Item":\#(Self.rule),"Plain":\#(Self.rule)}}}"#)
      for _ in 0..<30 {
        let (action, members) = ShardChangeCommandTests.command(&random)
        let caller = Bool.random(using: &random) ? administrator : member
        let accept =
          ["application/ejson", "application/json", "application/bson"].randomElement(using: &random) ?? ""
        let isByRealm = Bool.random(using: &random)
        let answers = try await ["Item", "Plain"].asyncMap { name in
          let content = DataAPITests.content(name, members)
          let answer =
            isByRealm
            ? try await fixture.send(
              .post, "/api/client/v2.0/app/a/functions/call", caller,
              json:
                #"{"name":"\#(action)","service":"mongodb-atlas","arguments":[\#(Self.place(name, members))]}"#
            )
            : try await fixture.send(
              .post, DataAPITests.target(action), caller.merging(["accept": accept]) { $1 }, json: content)
          let type = answer.fields["content-type"] ?? ""
          return "\(answer.status) \(type) \(answer.text.replacing(name, with: "X"))"
        }
        #expect(answers[0] == answers[1], "seed \(seed): \(action) \(members)")
        let left = try await ["Item", "Plain"].asyncMap { name in
          try await fixture.send(.get, "/v1/collections/\(name)?sort=id&limit=1000", administrator).text
        }
        #expect(left[0] == left[1], "seed \(seed): \(action) \(members)")
      }
    }
  }

  private static func place(_ name: String, _ members: String) -> String {
    #"{"database":"d","collection":"\#(name)",\#(members)}"#
  }

  private static func command(_ random: inout SeededGenerator) -> (String, String) {
    let (id, n) = (Int.random(in: 0..<25, using: &random), Int.random(in: 0...4, using: &random))
    // One document at most has the text.
    let one = #""filter":{"text":"t\#(id)"}"#
    let sort = #""sort":{"n":\#(Bool.random(using: &random) ? 1 : -1),"_id":1}"#
    let update =
      [
        #"{"$inc":{"n":1}}"#, #"{"$set":{"n":\#(n),"tags":[1,2]}}"#, #"[{"$set":{"n":{"$add":["$n",1]}}}]"#,
        #"{"$no":{"n":1}}"#, #"{"$set":{"_id":77}}"#,
      ].randomElement(using: &random) ?? ""
    let upsert = #""update":{"$set":{"n":\#(n)},"$setOnInsert":{"_id":\#(id)}},"upsert":true"#
    let new = #""returnNewDocument":\#(Bool.random(using: &random))"#
    switch Int.random(in: 0..<18, using: &random) {
    case 0: return ("updateOne", #"\#(one),"update":\#(update)"#)
    case 1: return ("updateOne", "\(one),\(upsert)")
    case 2: return ("replaceOne", #"\#(one),"replacement":{"n":\#(n),"text":"t\#(id)"}"#)
    case 3: return ("replaceOne", #"\#(one),"replacement":{"_id":\#(id),"text":"t\#(id)"},"upsert":true"#)
    case 4: return ("deleteOne", one)
    case 5: return ("deleteOne", #""filter":{"text":"t\#(id)","n":{"$gt":1}}"#)
    case 6: return ("findOneAndUpdate", #"\#(one),"update":\#(update),\#(new)"#)
    case 7:
      return ("findOneAndUpdate", #""filter":{"n":{"$gte":\#(n)}},"update":\#(update),\#(sort),\#(new)"#)
    case 8: return ("findOneAndDelete", #""filter":{"n":{"$lte":\#(n)}},\#(sort),"projection":{"n":1}"#)
    case 9:
      return (
        "findOneAndReplace",
        #""filter":{"n":{"$gte":0}},"replacement":{"n":\#(n),"ratio":1.5},\#(sort),\#(new)"#
      )
    case 10: return ("findOneAndUpdate", "\(one),\(upsert),\(sort),\(new)")
    case 11:
      return (
        "updateMany",
        #""filter":{"n":\#(n)},"update":{"$set":{"ratio":0.5},"$setOnInsert":{"_id":\#(id)}},"upsert":true"#
      )
    case 12: return ("updateOne", #"\#(one),"update":{"$set":{"n":1}},"upsert":true"#)
    default:
      let ids = (0..<Int.random(in: 1...12, using: &random)).map { _ in Int.random(in: 0..<80, using: &random)
      }
      let documents = ids.map { id in
        switch Int.random(in: 0..<20, using: &random) {
        case 0: #"{"_id":\#(id),"n":"x"}"#
        case 1: #"{"n":1}"#
        case 2: #"{"_id":"\#(id)"}"#
        default: #"{"_id":\#(id),"n":\#(id % 5 == 2 && n < 4 ? 3 : id % 5),"text":"t\#(id)"}"#
        }
      }
      return ("insertMany", #""documents":[\#(documents.joined(separator: ","))]"#)
    }
  }

  @Test func `a document that is made gets an identifier, which says its shard`() async throws {
    try await ShardedFixture.with(shards: 4) { fixture, shards in
      let note = #"{"name":"Note","primaryKey":"_id","properties":{"_id":"objectId","n":"int?"}}"#
      #expect(try await fixture.send(.put, "/v1/schema/Note", json: note).status == 201)
      let run = { (action: String, members: String) in
        try await fixture.send(
          .post, DataAPITests.target(action), ["accept": "application/ejson"],
          json: DataAPITests.content("Note", members))
      }
      for n in 0..<12 {
        let action = ["updateOne", "updateMany", "findOneAndUpdate"][n % 3]
        let made = try await run(action, #""filter":{"n":\#(n)},"update":{"$set":{"n":\#(n)}},"upsert":true"#)
        #expect(made.status == (n % 3 == 2 ? 200 : 201), "\(made.text)")
        let again = try await run(
          action, #""filter":{"n":\#(n)},"update":{"$set":{"n":\#(n)}},"upsert":true"#)
        #expect(again.status == 200 && !again.text.contains("upsertedId"), "\(again.text)")
      }
      let several = try await run(
        "insertMany", #""documents":[{"n":20},{"n":21},{"n":22},{"n":23},{"n":24}]"#)
      guard case .array(let ids)? = try several.document["insertedIds"] else {
        Issue.record("\(several.text)")
        return
      }
      for (n, id) in zip(20..., ids) {
        let found = try await run(
          "findOne", #""filter":{"_id":\#(String(decoding: id.extendedJSON, as: UTF8.self))}"#)
        #expect(found.text.contains("\"\(n)\""), "\(found.text)")
      }
      #expect(try await fixture.send(.get, "/v1/collections/Note?aggregate=@count").text == #"{"@count":17}"#)
      let counts = try shards.map {
        try $0.makeReader().counts().first { $0.objectType == "Note" }?.count ?? 0
      }
      #expect(counts.reduce(0, +) == 17)
    }
  }

  @Test func `commands that read two collections, or are a part of a transaction, are refused`() async throws
  {
    try await ShardedFixture.with(shards: 4) { fixture, shards in
      for (action, members) in [
        (
          "aggregate",
          #""pipeline":[{"$lookup":{"from":"Item","localField":"n","foreignField":"_id","as":"a"}}]"#
        ),
        ("aggregate", #""pipeline":[{"$facet":{"a":[{"$unionWith":"Item"}]}}]"#),
        ("aggregate", #""pipeline":[{"$out":"Item"}]"#),
      ] {
        let refused = try await fixture.send(
          .post, DataAPITests.target(action), json: DataAPITests.content("Item", members))
        #expect(refused.status == 422 && refused.text.contains("shard"), "\(action) \(refused.text)")
      }
      for store in shards { #expect(try store.makeReader().counts().allSatisfy { $0.count == 0 }) }
    }
  }

  @Test func `the trail has what a command has shown and changed, and nothing that it has only looked at`()
    async throws
  {
    let sharded = try await ShardedFixture(audit: Auditing())
    try await ShardedFixture.with(sharded) { fixture, _ in
      let documents = (0..<12).map { #"{"_id":\#($0),"n":\#($0)}"# }.joined(separator: ",")
      for (activity, action, members) in [
        ("make", "insertMany", #""documents":[\#(documents)]"#),
        ("take", "findOneAndUpdate", #""filter":{},"sort":{"n":-1},"update":{"$set":{"n":-1}}"#),
        ("set", "updateOne", #""filter":{"n":5},"update":{"$set":{"n":50}}"#),
      ] {
        let answer = try await fixture.send(
          .post, DataAPITests.target(action), ["audit-activity": activity],
          json: DataAPITests.content("Item", members))
        #expect(answer.status < 300, "\(answer.text)")
      }
      let expected: [(String, Set<Int>)] = [("make", Set(0..<12)), ("take", [11]), ("set", [5])]
      for (activity, ids) in expected {
        var found: Set<Int> = []
        for shard in 0..<3 {
          let trail = try await fixture.send(
            .get,
            "/v1/groups/archive/\(shard)/collections/AuditEvent?limit=1000&filter=activity%20%3D%20%22\(activity)%22"
          )
          found.formUnion(trail.text.matches(of: #/\\"id\\":(\d+)/#).compactMap { Int($0.1) })
        }
        #expect(found == ids, "\(activity)")
      }
    }
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await body(element)) }
    return results
  }
}

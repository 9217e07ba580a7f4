import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Commands of App Services' data sources on a class that is divided among shards.
@Suite struct ShardCommandTests {
  private func run(
    _ action: String, on name: String, _ members: String, _ fixture: Fixture,
    as caller: [String: String] = [:]
  ) async throws -> String {
    let answer = try await fixture.send(
      .post, DataAPITests.target(action), caller.merging(["accept": "application/ejson"]) { $1 },
      json: DataAPITests.content(name, members))
    return "\(answer.status) \(answer.text)"
  }

  @Test func `commands have the answers that they have where one store has all documents`() async throws {
    try await ShardedFixture.with(shards: 4) { fixture, _ in
      let rule = #"{"read":"n != 2","write":"n != 2"}"#
      let (administrator, member) = try await fixture.callers(
        under: #"{"member":{"classes":{"Item":\#(rule),"Plain":\#(rule)}}}"#)
      for id in 0..<40 {
        let members =
          #""document":{"_id":\#(id),"n":\#(id % 5),"text":"t\#(id % 3)","ratio":\#(id).5,"tags":[\#(id % 2),7]}"#
        for name in ["Item", "Plain"] {
          let made = try await run("insertOne", on: name, members, fixture, as: administrator)
          #expect(made.hasPrefix("201"), "\(made)")
        }
      }
      for (action, members) in [
        ("find", #""filter":{"n":{"$gt":1}},"sort":{"n":-1,"_id":1},"skip":3,"limit":9"#),
        ("find", #""filter":{},"sort":{"text":1,"ratio":-1},"limit":12,"projection":{"_id":0,"n":1}"#),
        ("find", #""filter":{"n":99}"#), ("find", #""filter":{"_id":17}"#),
        ("find", #""filter":{"_id":{"$in":[3,4,99]}},"sort":{"_id":1},"projection":{"tags":{"$slice":1}}"#),
        ("findOne", #""filter":{"n":3},"sort":{"_id":-1}"#), ("findOne", #""filter":{"_id":{"$eq":8}}"#),
        ("findOne", #""filter":{"_id":8.0},"projection":{"n":1}"#), ("findOne", #""filter":{"_id":"8"}"#),
        (
          "aggregate",
          #""pipeline":[{"$match":{"n":{"$lt":4}}},{"$group":{"_id":"$text","sum":{"$sum":"$n"},"average":{"$avg":"$ratio"},"count":{"$sum":1}}},{"$sort":{"_id":1}}]"#
        ),
        ("aggregate", #""pipeline":[{"$sort":{"_id":1}},{"$skip":5},{"$limit":3},{"$project":{"n":1}}]"#),
        ("aggregate", #""pipeline":[{"$count":"all"}]"#),
        (
          "aggregate",
          #""pipeline":[{"$match":{"n":{"$ne":3}}},{"$sort":{"ratio":-1}},{"$skip":2},{"$limit":4}]"#
        ),
        (
          "aggregate",
          #""pipeline":[{"$addFields":{"m":{"$mod":["$_id",4]}}},{"$group":{"_id":"$m","a":{"$avg":"$ratio"},"x":{"$max":"$_id"},"s":{"$stdDevPop":"$n"},"t":{"$top":{"sortBy":{"_id":-1},"output":"$text"}}}},{"$sort":{"_id":1}}]"#
        ),
        (
          "aggregate",
          #""pipeline":[{"$bucket":{"groupBy":"$n","boundaries":[0,2,9],"output":{"c":{"$sum":1}}}}]"#
        ),
        ("aggregate", #""pipeline":[{"$project":{"r":{"$divide":[1,"$no"]}}},{"$match":{"r":{"$no":1}}}]"#),
        (
          "aggregate",
          #""pipeline":[{"$unwind":"$tags"},{"$group":{"_id":"$tags","n":{"$sum":1}}},{"$sort":{"_id":1}}]"#
        ),
        ("updateOne", #""filter":{"_id":5},"update":{"$inc":{"n":1}}"#),
        ("updateOne", #""filter":{"_id":100},"update":{"$set":{"n":1}},"upsert":true"#),
        ("replaceOne", #""filter":{"_id":6},"replacement":{"n":9}"#), ("deleteOne", #""filter":{"_id":7}"#),
        ("deleteMany", #""filter":{"_id":12,"n":0}"#),
        ("deleteMany", #""filter":{"text":"t2","n":{"$lt":2}}"#),
        ("updateMany", #""filter":{"n":{"$gt":2}},"update":{"$inc":{"n":10}}"#),
        ("updateMany", #""filter":{"n":99},"update":{"$set":{"n":1}},"upsert":false"#),
        ("updateMany", #""filter":{},"update":{"$no":{"n":1}}"#), ("findOne", #""filter":{"_id":5}"#),
        ("find", #""filter":{},"sort":{"_id":1}"#), ("aggregate", #""pipeline":[{"$nothing":1}]"#),
        ("find", #""filter":{"n":{"$no":1}}"#),
      ] {
        for caller in [administrator, member] {
          #expect(
            try await run(action, on: "Item", members, fixture, as: caller).replacing("Item", with: "X")
              .replacing(#/"requestId":"[^"]*"/#, with: "")
              == run(action, on: "Plain", members, fixture, as: caller).replacing("Plain", with: "X")
              .replacing(#/"requestId":"[^"]*"/#, with: ""), "\(action) \(members)")
        }
      }
    }
  }
}

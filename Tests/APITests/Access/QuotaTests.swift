import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Quotas of roles, as callers notice them.
@Suite struct QuotaTests {
  private static let schema = """
    [{"name":"Note","primaryKey":"id","properties":{"id":"int","owner":"string","text":"string?"}},
     {"name":"Other","primaryKey":"id","properties":{"id":"int","note":"Note?"}}]
    """

  private struct Site {
    let fixture: Fixture
    let member: [String: String]
    let administrator: [String: String]

    init(_ rights: String) async throws {
      fixture = try await Fixture(QuotaTests.schema)
      (administrator, member) = try await fixture.callers(
        under: #"{"member":{"classes":{"Note":\#(rights)}}}"#)
    }

    func send(_ method: GatehouseHTTP.Method, _ path: String, _ json: String? = nil) async throws -> Answer {
      if let json { return try await fixture.send(method, path, member, json: json) }
      return try await fixture.send(method, path, member)
    }

    /// Returns why a request was refused for a quota.
    func refusal(_ method: GatehouseHTTP.Method, _ path: String, _ json: String) async throws -> String {
      let answer = try await send(method, path, json)
      #expect((answer.status, answer.code) == (403, "quota_exceeded"), "\(answer.text)")
      return answer.text.firstMatch(of: /"class":.*?(?=,"errors"|}$)/).map { String($0.0) } ?? answer.text
    }
  }

  private static let notes = "/v1/collections/Note"
  private static let own =
    #"{"read":"owner == 'me'","write":"owner == 'me'","quota":{"objects":2,"bytes":400}}"#
  private static let long = String(repeating: "x", count: 500)

  @Test func `a caller has as many objects as the role says, by whatever request`() async throws {
    let site = try await Site(Self.own)
    let notes = Self.notes
    #expect(
      try await site.send(.post, notes, #"[{"id":1,"owner":"me"},{"id":2,"owner":"me"}]"#).status == 201)
    let used = #""class":"Note","measure":"objects","allowed":2,"used":2"#
    #expect(try await site.refusal(.post, notes, #"{"id":3,"owner":"me"}"#) == used)
    #expect(try await site.refusal(.post, notes + "?mode=modified", #"{"id":3,"owner":"me"}"#) == used)
    #expect(try await site.refusal(.put, notes + "/3", #"{"id":3,"owner":"me","text":null}"#) == used)
    let create = #"{"op":"create","class":"Note","value":{"id":3,"owner":"me"}}"#
    let delete = #"{"op":"delete","class":"Note","id":1}"#
    #expect(try await site.refusal(.post, "/v1/transactions", #"{"operations":[\#(create)]}"#) == used)
    let exchange = try await site.send(.post, "/v1/transactions", #"{"operations":[\#(create),\#(delete)]}"#)
    #expect(exchange.status == 200, "\(exchange.text)")
    #expect(try await site.send(.delete, notes + "/3").status == 204)
    #expect(try await site.send(.post, notes, #"{"id":4,"owner":"me"}"#).status == 201)
    // Others have their own.
    let other = try await site.fixture.send(
      .post, notes, site.administrator, json: #"{"id":5,"owner":"you"}"#)
    #expect(other.status == 201)
    #expect(try await site.refusal(.post, notes, #"{"id":6,"owner":"me"}"#) == used)
    await site.fixture.remove()
  }

  @Test func `an object that grows takes bytes, and who has too much may give some back`() async throws {
    let site = try await Site(Self.own)
    let notes = Self.notes
    #expect(try await site.send(.post, notes, #"{"id":1,"owner":"me"}"#).status == 201)
    let refusal = try await site.refusal(.patch, notes + "/1", #"{"text":"\#(Self.long)"}"#)
    #expect(refusal.hasPrefix(#""class":"Note","measure":"bytes","allowed":400,"used":"#))
    #expect(try await site.refusal(.put, notes + "/1/text", #""\#(Self.long)""#) == refusal)
    let grown = try await site.fixture.send(
      .patch, notes + "/1", site.administrator, json: #"{"text":"\#(Self.long)"}"#)
    #expect(grown.status == 200)
    #expect(try await site.send(.patch, notes + "/1", #"{"text":"\#(Self.long.dropLast())"}"#).status == 200)
    _ = try await site.refusal(.patch, notes + "/1", #"{"text":"\#(Self.long)"}"#)
    #expect(try await site.send(.delete, notes + "/1").status == 204)
    #expect(try await site.send(.post, notes, #"{"id":1,"owner":"me","text":"a"}"#).status == 201)
    await site.fixture.remove()
  }

  @Test(arguments: [
    #"{"read":"owner == 'you'","write":"owner == 'me'","quota":{"objects":0}}"#,
    #"{"read":true,"write":true,"fields":{"text":{"read":false}},"quota":{"objects":0}}"#,
  ])
  func `who does not see all that counts is not told how much it is`(rights: String) async throws {
    let site = try await Site(rights)
    let refusal = try await site.refusal(.post, Self.notes, #"{"id":1,"owner":"me"}"#)
    #expect(refusal == #""class":"Note","measure":"objects","allowed":0"#)
    await site.fixture.remove()
  }

  @Test func `a rule that leads through links is counted each time`() async throws {
    let site = try await Site(
      #"{"read":true,"write":"@links.Other.note.@count > 0 OR owner == 'me'","quota":{"objects":1}}"#)
    let other = try await site.fixture.send(
      .post, "/v1/collections/Note", site.administrator, json: #"{"id":1,"owner":"you"}"#)
    #expect(other.status == 201)
    #expect(try await site.send(.post, Self.notes, #"{"id":2,"owner":"me"}"#).status == 201)
    #expect(try await site.send(.delete, Self.notes + "/2").status == 204)
    let link = try await site.fixture.send(
      .post, "/v1/collections/Other", site.administrator, json: #"{"id":1,"note":1}"#)
    #expect(link.status == 201)
    // Without a change of any note, there is one that counts.
    let refusal = try await site.refusal(.post, Self.notes, #"{"id":2,"owner":"me"}"#)
    #expect(refusal == #""class":"Note","measure":"objects","allowed":1,"used":1"#)
    await site.fixture.remove()
  }
}

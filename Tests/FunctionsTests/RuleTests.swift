import GatehouseBSON
import Testing

@testable import GatehouseFunctions

/// The callers that rules of `can_evaluate` admit.
struct RuleTests {
  static let user: Document = [
    "id": .string("u1"), "type": .string("normal"),
    "data": ["email": .string("a@example.org")],
    "custom_data": ["level": .int32(5), "teams": .array([.string("red"), .string("blue")]), "none": .null],
  ]

  @Test(arguments: [
    ("{}", true), ("true", true), ("false", false), (#"{"%%true": true}"#, true),
    (#"{"%%true": false}"#, false),
    (#""%%true""#, true), (#"{"%%user.id": "u1"}"#, true), (#"{"%%user.id": "u2"}"#, false),
    (#"{"%%user.id": "%%args.0"}"#, true), (#"{"%%args.1": "%%user.id"}"#, false),
    (#"{"%%user.custom_data.level": 5}"#, true), (#"{"%%user.custom_data.level": 5.0}"#, true),
    (#"{"%%user.custom_data.level": {"$gt": 4, "$lte": 5}}"#, true),
    (#"{"%%user.custom_data.level": {"%gt": 5}}"#, false),
    (#"{"%%user.custom_data.level": {"%lt": "x"}}"#, false),
    (#"{"%%user.data.email": {"%in": ["b@example.org", "a@example.org"]}}"#, true),
    (#"{"%%user.data.email": {"%nin": ["a@example.org"]}}"#, false),
    (#"{"%%args.2": {"%in": "%%user.custom_data.teams"}}"#, true),
    (#"{"%%user.custom_data.teams.1": "blue"}"#, true), (#"{"%%user.custom_data.teams": "red"}"#, true),
    (#"{"%%user.custom_data.teams": "green"}"#, false),
    (#"{"%%user.custom_data.teams": {"%ne": "red"}}"#, false),
    (#"{"%%user.custom_data.teams": {"%in": ["green", "blue"]}}"#, true),
    (#"{"%%user.custom_data.teams": {"%nin": ["green", "blue"]}}"#, false),
    (#"{"%%user.custom_data.teams": ["red", "blue"]}"#, true),
    // Callers choose arguments: a list of them is none of its elements.
    (#"{"%%args.3": "u1"}"#, false), (#"{"%%args.3": {"%in": ["u1"]}}"#, false),
    (#"{"%%user.missing": {"%exists": false}}"#, true), (#"{"%%user.missing": {"%exists": true}}"#, false),
    (#"{"%%user.custom_data.none": {"%exists": true}}"#, true),
    (#"{"%%user.missing": null}"#, false), (#"{"%%user.missing": {"%ne": 1}}"#, true),
    (#"{"%or": [{"%%user.id": "u2"}, {"%%user.type": "normal"}]}"#, true),
    (#"{"%and": [{"%%user.id": "u1"}, {"%%user.type": "server"}]}"#, false),
    (#"{"%not": {"%%user.type": "server"}}"#, true), (#"{"$nor": [{"%%user.type": "server"}]}"#, true),
    (#"{"%%user.type": {"%not": "server"}}"#, true),
    // Unknown words never hold, on whichever side of a negation.
    (#"{"%%request.remoteIPAddress": "::1"}"#, false), (#"{"%not": {"%%request.x": 1}}"#, false),
    (#"{"%not": {"%function": {"name": "f"}}}"#, false), (#"{"%%user.id": {"%regex": "."}}"#, false),
    (#"{"%not": {"%%user.id": {"%regex": "."}}}"#, false), ("5", false), ("[]", false),
    (#"{"%and": {}}"#, false), (#"{"%%user.id": "%%values.x"}"#, false),
  ])
  func `a rule holds, or does not`(text: String, holds: Bool) throws {
    let rule = RuleExpression(try Value(json: Array(text.utf8)))
    let scope = RuleScope(
      user: Self.user, arguments: [.string("u1"), .int32(2), .string("red"), .array([.string("u1")])])
    #expect(scope.holds(rule) == holds)
  }

  @Test(arguments: [
    (#"{"%%user": {"$exists": true}}"#, false), (#"{"%%user": {"%exists": false}}"#, true),
    (#"{"%%user.type": "normal"}"#, false), (#"{"%%user.id": {"%exists": true}}"#, false),
    (#"{"%%user.id": {"%ne": null}}"#, false), (#"{"%%user": {"%ne": null}}"#, false),
    (#"{"%%user.id": {"%nin": [null, ""]}}"#, false),
  ])
  func `who shows no credential is no user`(text: String, holds: Bool) throws {
    let rule = RuleExpression(try Value(json: Array(text.utf8)))
    #expect(RuleScope(user: ["type": .string("normal")], arguments: []).holds(rule) == holds)
    #expect(RuleScope(user: Self.user, arguments: []).holds(rule) != holds)
  }

  @Test(arguments: [
    (#"{"%%args.0": "x"}"#, true), (#"{"%%args.0": "x", "%%user.id": "u2"}"#, false),
    (#"{"%%args.0": "x", "%%user.id": "u1"}"#, true), (#"{"%not": {"%%args.0": "x"}}"#, true),
    (#"{"%or": [{"%%args.0": "x"}, {"%%user.id": "u2"}]}"#, true),
    (#"{"%%args.1": {"%exists": true}}"#, true),
    (#"{"%or": [{"%%user.id": "u2"}, {"%%user.id": "u3"}]}"#, false), (#"{"%%user.id": "%%args.0"}"#, true),
    (#"{"%nor": [{"%%args.0": "x"}, {"%%user.id": "u1"}]}"#, false),
    (#"{"%%args.0": {"%regex": "."}}"#, false),
    ("true", true), ("false", false),
  ])
  func `without its arguments, a rule may hold or cannot`(text: String, mayHold: Bool) throws {
    let rule = RuleExpression(try Value(json: Array(text.utf8)))
    #expect(RuleScope(user: Self.user, arguments: nil).mayHold(rule) == mayHold)
  }
}

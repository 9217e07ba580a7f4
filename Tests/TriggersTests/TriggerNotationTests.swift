import GatehouseBSON
import Testing

@testable import GatehouseTriggers

@Suite struct TriggerNotationTests {
  private func trigger(_ json: String) throws -> Trigger {
    guard case .document(let document) = try Value(json: json) else {
      throw ConfigurationError(at: [String](), "no object")
    }
    return try Trigger(notation: document)
  }

  @Test func `what App Services writes is read`() throws {
    let trigger = try trigger(
      #"""
      {"id": "5f", "name": "onOrder", "type": "DATABASE", "disabled": true, "config": {"operation_types": ["INSERT", "REPLACE"],
      "database": "shop", "collection": "Order", "service_name": "mongodb-atlas", "match": {}, "project": {}, "full_document": true,
      "full_document_before_change": true, "unordered": true, "skip_catchup_events": true, "tolerate_resume_errors": true,
      "maximum_throughput": false, "is_collection_level_trigger": true},
      "event_processors": {"FUNCTION": {"config": {"function_name": "ship"}}}}
      """#)
    var watched = WatchedChanges(of: "Order")
    watched.database = "shop"
    watched.operations = [.insert, .replace]
    (watched.showsObject, watched.showsObjectBefore, watched.isUnordered, watched.toleratesGaps) = (
      true, true, true, true
    )
    var expected = Trigger("onOrder", on: .changes(watched), calls: "ship")
    (expected.isDisabled, expected.skipsMissed) = (true, true)
    #expect(trigger == expected)
  }

  @Test func `a schedule is read, and the older place of the function`() throws {
    let trigger = try trigger(
      #"{"name": "nightly", "type": "SCHEDULED", "config": {"schedule": "0 2 * * *"}, "function_name": "report"}"#
    )
    #expect(trigger == Trigger("nightly", on: .time(try #require(Schedule("0 2 * * *"))), calls: "report"))
  }

  @Test func `a trigger of logins and its webhook are read`() throws {
    let json = #"""
      {"name": "hello", "type": "AUTHENTICATION", "config": {"operation_type": "CREATE", "providers": ["anon-user"]},
      "event_processors": {"WEBHOOK": {"config": {"url": "https://example.org/hook", "secret_name": "hook"}}}}
      """#
    guard case .document(let document) = try Value(json: json) else { return #expect(Bool(false)) }
    let trigger = try Trigger(notation: document) { $0 == "hook" ? "open" : nil }
    #expect(
      trigger
        == Trigger(
          "hello", on: .authentication(WatchedLogins(.create, by: ["anon-user"])),
          does: .webhook(Webhook("https://example.org/hook", secret: "open"))))
  }

  @Test(
    arguments: [
      (#"{}"#, [], "“name” is missing."),
      (
        #"{"name": "a/b", "type": "DATABASE"}"#, ["name"],
        "A name has 1 to 128 bytes, without “/” and control characters."
      ),
      (#"{"name": "a", "type": "X"}"#, ["type"], "The type is DATABASE, SCHEDULED or AUTHENTICATION."),
      (#"{"name": "a", "typ": "X"}"#, ["typ"], "There is no member “typ”."),
      (
        #"{"name": "a", "type": "DATABASE", "config": {"collection": 5}}"#, ["config", "collection"],
        "Here a text should stand."
      ),
      (
        #"{"name": "a", "type": "DATABASE", "config": {"collection": "A", "operation_types": ["DROP"]}}"#,
        ["config", "operation_types"], "Operations are INSERT, UPDATE, REPLACE and DELETE."
      ),
      (
        #"{"name": "a", "type": "DATABASE", "config": {"collection": "A", "match": {"$who": 1}}}"#,
        ["config", "match"],
        "unknown top level operator: $who. If you have a field name that starts with a '$' symbol, consider using $getField or $setField."
      ),
      (
        #"{"name": "a", "type": "AUTHENTICATION", "config": {"operation_type": "IN"}}"#,
        ["config", "operation_type"], "Operations are LOGIN, CREATE and DELETE."
      ),
      (
        #"{"name": "a", "type": "AUTHENTICATION", "config": {"operation_type": "LOGIN"}, "event_processors": {"WEBHOOK": {"config": {"url": "ftp://x"}}}}"#,
        ["event_processors", "WEBHOOK", "config", "url"], "A URL begins with “https://” or “http://”."
      ),
      (
        #"{"name": "a", "type": "AUTHENTICATION", "config": {"operation_type": "LOGIN"}, "event_processors": {"WEBHOOK": {"config": {"url": "http://x", "secret_name": "s"}}}}"#,
        ["event_processors", "WEBHOOK", "config", "secret_name"],
        "There is no secret of that name in auth/secrets."
      ),
      (
        #"{"name": "a", "type": "DATABASE", "config": {"collection": "A", "unordered": 1}}"#,
        ["config", "unordered"],
        "Here true or false should stand."
      ),
      (
        #"{"name": "a", "type": "DATABASE", "config": {"collection": "A"}}"#, [],
        "“function_name” is missing."
      ),
      (
        #"{"name": "a", "type": "SCHEDULED", "config": {"schedule": "daily"}}"#, ["config", "schedule"],
        "A schedule has five fields, such as “*/15 * * * *” (minute, hour, day, month, day of the week)."
      ),
      (
        #"{"name": "a", "type": "DATABASE", "config": {"collection": "A"}, "event_processors": {"AWS_EVENTBRIDGE": {}}}"#,
        ["event_processors", "AWS_EVENTBRIDGE"], "There is no member “AWS_EVENTBRIDGE”."
      ),
    ] as [(String, [String], String)])
  func `what is no trigger is told where and why`(json: String, path: [String], text: String) {
    #expect(throws: ConfigurationError(at: path, text)) { try trigger(json) }
  }
}

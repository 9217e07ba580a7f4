import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Functions over HTTP; what JavaScript does has tests of its own.
struct FunctionTests {
  private static func with(_ body: (Fixture) async throws -> Void) async throws {
    let functions = FunctionHost()
    functions.registered.register("echo", parameters: ["values"]) { .array($0.arguments) }
    functions.registered.register("nothing") { _ in .undefined }
    functions.registered.register("fail") { _ in throw FunctionError.thrown(message: "not today") }
    functions.registered.register("secret", access: .functions) { _ in .null }
    try await Fixture.with(functions: functions, body)
  }

  @Test func `the list has names, runtimes, parameters and limits`() async throws {
    try await Self.with { fixture in
      let answer = try await fixture.send(.get, "/v1/functions")
      let rest = #""private":false,"disabled":false,"limits":{}}"#
      #expect(
        answer.text == """
          [{"name":"echo","runtime":"swift","parameters":["values"],\(rest),{"name":"fail","runtime":"swift",\(rest),\
          {"name":"nothing","runtime":"swift",\(rest),{"name":"secret","runtime":"swift","private":true,\
          "disabled":false,"limits":{}}]
          """)
    }
  }

  @Test(arguments: [
    ("[1,2.0,\"x\",null]", "application/json", #"[1,2.0,"x",null]"#),
    (
      "[1,{\"$numberLong\":\"5\"},{\"$date\":{\"$numberLong\":\"0\"}}]", "application/ejson",
      #"[{"$numberInt":"1"},{"$numberLong":"5"},{"$date":{"$numberLong":"0"}}]"#
    ),
    ("{\"arguments\":[true]}", "application/json", "[true]"),
    ("[]", "application/json", "[]"), ("", "application/json", "[]"),
    ("[[]]", "application/json", "[[]]"),
  ])
  func `arguments of JSON keep their types`(content: String, accept: String, result: String) async throws {
    try await Self.with { fixture in
      let answer = try await fixture.send(.post, "/v1/functions/echo", ["accept": accept], json: content)
      #expect(answer.status == 200)
      #expect(answer.fields["content-type"] == accept)
      #expect(answer.text == result)
    }
  }

  @Test func `BSON goes in and comes out`() async throws {
    let values: [Value] = [
      .int32(1), .int64(2), .double(3), .objectID(.init("0123456789abcdef01234567")!), .undefined,
      ["b": .null, "a": .array([])],
    ]
    try await Self.with { fixture in
      let content = try (["arguments": .array(values)] as Document).bson()
      let answer = try await fixture.send(
        .post, "/v1/functions/echo", ["content-type": "application/bson", "accept": "application/bson"],
        content)
      #expect(try Document(bson: answer.content) == ["result": .array(values)])
    }
  }

  @Test(arguments: [
    ("application/json", "null"), ("application/ejson", #"{"$undefined":true}"#),
    ("application/bson", "\u{0d}\0\0\0\u{06}result\0\0"),
  ])
  func `no result is something in each representation`(accept: String, text: String) async throws {
    try await Self.with { fixture in
      let answer = try await fixture.send(.post, "/v1/functions/nothing", ["accept": accept], json: "")
      #expect((answer.status, answer.text) == (200, text))
    }
  }

  @Test(arguments: [
    ("echo", "application/json", "{}", 422, "invalid_arguments"),
    ("echo", "application/json", "5", 422, "invalid_arguments"),
    ("echo", "application/json", #"{"arguments":5}"#, 422, "invalid_arguments"),
    ("echo", "application/json", #"{"arguments":[],"more":1}"#, 422, "invalid_arguments"),
    ("echo", "application/json", "[1", 400, "malformed_json"),
    ("echo", "application/bson", "\u{05}\0\0\0", 400, "malformed_bson"),
    ("echo", "application/bson", "\u{05}\0\0\0\0", 422, "invalid_arguments"),
    ("echo", "application/bson", "\u{05}\0\0\0\0\u{05}\0\0\0\0", 422, "invalid_arguments"),
    ("echo", "text/plain", "[]", 415, "unsupported_media_type"),
    ("no", "application/json", "[]", 404, "function_not_found"),
    ("secret", "application/json", "[]", 403, "function_not_callable"),
    ("fail", "application/json", "[]", 400, "function_failed"),
  ])
  func `what is wrong has its code`(
    name: String, type: String, content: String, status: UInt16, code: String
  ) async throws {
    try await Self.with { fixture in
      let answer = try await fixture.send(
        .post, "/v1/functions/\(name)", ["content-type": type], Array(content.utf8))
      #expect((answer.status, answer.code) == (status, code))
    }
  }

  @Test func `an idempotency key is refused, since nobody could keep it`() async throws {
    try await Self.with { fixture in
      let answer = try await fixture.send(
        .post, "/v1/functions/echo", ["idempotency-key": "\"a\""], json: "[]")
      #expect((answer.status, answer.code) == (400, "invalid_precondition"))
    }
  }

  @Test(arguments: [
    (FunctionError.crashed(.outOfMemory), 500, "function_out_of_memory"),
    (.crashed(.killed(signal: 9)), 500, "function_crashed"),
    (.timedOut(seconds: 5), 504, "function_timed_out"),
    (.queueFull, 503, "function_queue_full"),
    (.runtimeMissing(program: "node"), 503, "function_runtime_missing"),
    (.syntax(file: "f.js", line: 2, message: "no"), 500, "function_invalid"),
    (.resultTooLarge(limit: 5), 500, "function_result_too_large"),
    (.resultTooDeep, 500, "function_result_invalid"),
  ])
  func `what goes wrong on our side has its code`(error: FunctionError, status: UInt16, code: String)
    async throws
  {
    let functions = FunctionHost()
    functions.registered.register("f") { _ in throw error }
    try await Fixture.with(functions: functions) { fixture in
      let answer = try await fixture.send(.post, "/v1/functions/f", json: "[]")
      #expect((answer.status, answer.code) == (status, code))
      #expect(answer.fields["retry-after"] == (status == 503 ? "1" : nil))
    }
  }

  private static let app = "/api/client/v2.0/app/any-abcde/functions/call"

  @Test(arguments: [
    (
      #"{"name":"echo","arguments":[1,{"$numberLong":"5"},1.5]}"#,
      #"[{"$numberInt":"1"},{"$numberLong":"5"},{"$numberDouble":"1.5"}]"#
    ),
    (#"{"arguments":["a"],"name":"echo","service":""}"#, #"["a"]"#), (#"{"name":"echo"}"#, "[]"),
    (#"{"name":"nothing","arguments":[]}"#, #"{"$undefined":true}"#),
  ])
  func `Realm's clients get the result by itself`(content: String, result: String) async throws {
    try await Self.with { fixture in
      let fields = ["accept": "application/json", "content-type": "application/json;charset=utf-8"]
      let answer = try await fixture.send(.post, Self.app, fields, Array(content.utf8))
      #expect((answer.status, answer.text) == (200, result))
      #expect(answer.fields["content-type"] == "application/json")
    }
  }

  private static func streamed(_ json: String, _ name: String = "baas_request") -> String {
    "\(app)?\(name)=\(Base64.encode(Array(json.utf8)).percentEncoded)"
  }

  /// Who streams shows who they are.
  private static func streaming(_ fixture: Fixture) async throws -> [String: String] {
    let key = try await fixture.gateway.context.access.makeKey(name: "", role: "admin", classes: [])
    return ["accept": "text/event-stream", "authorization": "Bearer \(key.text)"]
  }

  @Test(arguments: ["baas_request", "stitch_request"])
  func `Realm's clients get the result as an event`(name: String) async throws {
    try await Self.with { fixture in
      let call = #"{"name":"echo","arguments":["100%0A~~~",{"$numberLong":"5"}]}"#
      let answer = try await fixture.send(
        .get, Self.streamed(call, name), try await Self.streaming(fixture))
      #expect((answer.status, answer.fields["content-type"]) == (200, "text/event-stream"))
      #expect(answer.text == "event: message\ndata: [\"100%250A~~~\",{\"$numberLong\":\"5\"}]\n\n")
    }
  }

  @Test(arguments: [
    (streamed(#"{"name":"x"}"#), 404, "function not found: 'x'", "FunctionNotFound"),
    (streamed(#"{"name":"fail"}"#), 400, "not today", "FunctionExecutionError"),
    (
      streamed(#"{"name":"watch","arguments":[{}],"service":"elsewhere"}"#), 404,
      "service not found: 'elsewhere'", "ServiceNotFound"
    ),
    (streamed("{}"), 400, "The content must have the member “name”, a string.", "MissingParameter"),
    (streamed("[]"), 400, "The parameter “baas_request” must be a JSON object in Base64.", "BadRequest"),
    (app, 400, "The parameter “baas_request” must be a JSON object in Base64.", "BadRequest"),
    (
      "\(app)?baas_request=%7B", 400, "The parameter “baas_request” must be a JSON object in Base64.",
      "BadRequest"
    ),
  ])
  func `a stream that cannot be is an error of App Services`(
    target: String, status: UInt16, text: String, code: String
  ) async throws {
    try await Self.with { fixture in
      let answer = try await fixture.send(.get, target, try await Self.streaming(fixture))
      #expect((answer.status, answer.fields["content-type"]) == (status, "application/json"))
      let body = try answer.document
      #expect(body["error"] == .string(text) && body["error_code"] == .string(code), "\(answer.text)")
    }
  }

  @Test(arguments: [
    (#"{"name":"x"}"#, 404, "function not found: 'x'", "FunctionNotFound"),
    (#"{"name":"fail"}"#, 400, "not today", "FunctionExecutionError"),
    (#"{"name":"secret"}"#, 403, "The function is private: only functions may call it.", "NotCallable"),
    (
      #"{"name":"find","arguments":[{}],"service":"elsewhere"}"#, 404,
      "service not found: 'elsewhere'", "ServiceNotFound"
    ),
    (#"{"arguments":[]}"#, 400, "The content must have the member “name”, a string.", "MissingParameter"),
    (#"{"name":"echo","arguments":{}}"#, 422, "The member “arguments” must be an array.", "InvalidParameter"),
    ("{", 400, "The content is not JSON (byte 1).", "BadRequest"),
  ])
  func `Realm's clients get errors as they know them`(
    content: String, status: UInt16, text: String, code: String
  ) async throws {
    try await Self.with { fixture in
      let answer = try await fixture.send(.post, Self.app, json: content)
      #expect((answer.status, answer.fields["content-type"]) == (status, "application/json"))
      let body = try answer.document
      #expect(body["error"] == .string(text) && body["error_code"] == .string(code), "\(answer.text)")
    }
  }

  @Test(arguments: [
    (FunctionError.isProtected, 403, #"rule not matched for function "f""#, "FunctionExecutionError"),
    (
      .timedOut(seconds: 5), 504, "The function took longer than 5 s and was ended.",
      "ExecutionTimeLimitExceeded"
    ),
    (.syntax(file: "f.js", line: 2, message: "no"), 500, "f.js, line 2: no", "FunctionSyntaxError"),
    (.notAFunction, 500, "The function's file does not say “exports = function …”.", "FunctionInvalid"),
    (.queueFull, 503, "Too many calls are waiting for a worker.", "InternalServerError"),
  ])
  func `what goes wrong on our side has App Services' codes`(
    error: FunctionError, status: UInt16, text: String, code: String
  ) async throws {
    let functions = FunctionHost()
    functions.register("f") { _ in throw error }
    try await Fixture.with(functions: functions) { fixture in
      let answer = try await fixture.send(.post, Self.app, json: #"{"name":"f","arguments":[]}"#)
      #expect(answer.status == status)
      let body = try answer.document
      #expect(body["error"] == .string(text) && body["error_code"] == .string(code), "\(answer.text)")
    }
  }
}

import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import Testing

@testable import GatehouseAPI

/// Errors in the form of App Services. Its `link` led to a page of its log: here one leads to a page that is there, or there is none.
@Suite struct ErrorLinkTests {
  private static let paths = [Endpoint.appServicesPath, "/app/"]

  /// Expects that an error has the members of App Services', and no link that leads nowhere. Returns its code.
  private static func check(_ answer: Answer, _ site: UserSite, _ sent: String) async throws -> String? {
    let error = try answer.document
    #expect(error["error"]?.string?.isEmpty == false, "\(sent): \(answer.text)")
    for element in error.elements {
      #expect(["error", "error_code", "code", "link"].contains(element.key), "\(sent): \(answer.text)")
    }
    if let link = error["link"] {
      let path = try #require(link.string, "\(sent): \(answer.text)")
      let page = try await site.fixture.send(.get, path)
      #expect(page.status == 200, "\(sent): \(path)")
    }
    return error["error_code"]?.string
  }

  @Test func `no error of an endpoint has a link that leads nowhere`() async throws {
    let functions = FunctionHost()
    functions.register("fails") { _ in throw FunctionError.thrown(message: "no") }
    try await UserSite.with(functions: functions) { site in
      let user = try UserSite.Tokens(try await site.logIn("anon-user", "{}"))
      let callers = [[:], ["authorization": "Bearer a.b.c"], user.access, user.refresh, ["api-key": "x"]]
      let contents: [String?] = [
        nil, "{", "[]", "{}", #"{"name":5}"#, #"{"name":"fails","arguments":[]}"#,
        #"{"name":"nothing","arguments":[]}"#,
        #"{"name":"find","service":"mongodb-atlas","arguments":[{"database":"d","collection":"Vault"}]}"#,
        #"{"dataSource":"mongodb-atlas","database":"d","collection":"Note","filter":{"$who":1}}"#,
        #"{"username":"a@example.org","password":"wrong12"}"#, #"{"key":"x"}"#,
        #"{"email":"nobody@example.org","token":"t","tokenId":"t","password":"secret1"}"#,
      ]
      let endpoints = Endpoint.all.filter { endpoint in
        Self.paths.contains { endpoint.template.hasPrefix($0) }
      }
      var targets = endpoints.map { ($0.method, $0.template.replacing(/\{[^}]*\}/, with: "nothing")) }
      targets += [
        (.get, "\(Endpoint.appServicesPath)/nothing"), (.put, "\(Endpoint.appServicesPath)/auth/session"),
        (.post, "/app/a/endpoint/data/v1/action/find"), (.post, "/app/a/endpoint/data/v1/action/insertOne"),
        (.get, "\(UserSite.app)/functions/call?baas_request=e30="),
      ]
      var codes: [String?: Int] = [:]
      for (method, target) in targets {
        for fields in callers {
          for content in contents {
            let answer =
              if let content { try await site.fixture.send(method, target, fields, json: content) } else {
                try await site.fixture.send(method, target, fields)
              }
            guard answer.status >= 400 else { continue }
            let sent = "\(method.rawValue) \(target) \(fields.keys) \(content ?? "")"
            codes[try await Self.check(answer, site, sent), default: 0] += 1
          }
        }
      }
      #expect(endpoints.count > 25 && codes.values.reduce(0, +) > 1_000)
      for code in ["InvalidSession", "FunctionNotFound", "IncomingWebhookNotFound", "BadRequest"] {
        #expect(codes[code] != nil, "\(codes)")
      }
    }
  }

  private struct Told: ProblemRepresentable { let problem: Problem }

  @Test(arguments: Problem.Code.allCases)
  func `no problem has a link that leads nowhere`(code: Problem.Code) async throws {
    try await UserSite.with { site in
      let request = Request(method: .get, target: Target(path: "/", query: nil))
      let response = Problem.appServicesResponse(to: Told(problem: Problem(code, "text")), for: request)
      _ = try await Self.check(try await Answer(response), site, code.rawValue)
    }
  }
}

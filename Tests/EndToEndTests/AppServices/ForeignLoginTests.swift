import FoundationEssentials
import GatehouseTestSupport
import Testing

/// Logins by what other servers say: issuers of OpenID Connect that Python's joserfc plays, and Facebook.
@Suite(.enabled(if: PeerServer.hasModule("joserfc"), "Python's joserfc is not installed"))
struct ForeignLoginTests {
  private let folder: Folder
  private let peer: PeerServer
  private let server: RunningServer

  init() throws {
    folder = try Sample.nodeStore()
    peer = try PeerServer("issuer_server.py", in: folder)
    let issuer = "http://127.0.0.1:\(peer.port)"
    try AppFiles.write("web-secret\n", to: "auth/secrets/google", folder)
    try AppFiles.write("fb-secret", to: "auth/secrets/facebook", folder)
    try AppFiles.write(
      """
      {"oauth2-google":{"name":"oauth2-google","config":{"clientId":["web","phone"],"issuer":"\(issuer)","openId":true},
        "secret_config":{"clientSecret":"google"},
        "metadata_fields":[{"name":"email","required":true},{"name":"first_name","required":false}]},
       "oauth2-apple":{"config":{"clientId":"org.example.app","issuer":"\(issuer)/"},
        "domain_restrictions":["Example.org"]},
       "oauth2-facebook":{"config":{"clientId":"77","graph":"\(issuer)/graph"},"secret_config":{"clientSecret":"facebook"},
        "metadata_fields":[{"name":"name"}]},
       "custom-token":{"config":{"audience":"app","useJWKURI":true,"jwkURI":"\(issuer)/jwks"},
        "secret_config":{"signingKeys":[]}}}
      """, to: "auth/providers.json", folder)
    server = try RunningServer(folder, options: ["--outbound-allow", "127.0.0.1"])
  }

  /// A token of the issuer with claims.
  private func mint(_ query: String) throws -> String { try peer.get("/mint?\(query)") }

  private func logIn(_ provider: String, _ json: String) throws -> RunningServer.Answer {
    try server.send("POST", "/api/client/v2.0/app/a/auth/providers/\(provider)/login", body: json)
  }

  private func profile(_ answer: RunningServer.Answer) throws -> JSON {
    let token = try #require(try answer.json["access_token"]?.string, "\(answer.body)")
    return try server.send(
      "GET", "/api/client/v2.0/auth/profile", fields: ["Authorization": "Bearer \(token)"]
    ).json
  }

  private func end() {
    #expect(server.stop() == 0)
    peer.stop()
  }

  @Test func `Google and Apple tell who somebody is`() throws {
    defer { end() }
    let email = "email=ann@example.org"
    let first = try logIn(
      "oauth2-google", #"{"id_token":"\#(try mint("sub=g-1&aud=phone&\(email)&given_name=Ann"))"}"#)
    let user = try profile(first)
    #expect(user["data"] == (try JSON(#"{"email":"ann@example.org","first_name":"Ann"}"#)))
    #expect(user["identities"]?[0]?["provider_type"]?.string == "oauth2-google")
    #expect(user["identities"]?[0]?["id"]?.string == "g-1")
    let again = try logIn("oauth2-google", #"{"id_token":"\#(try mint("sub=g-1&aud=web&\(email)"))"}"#)
    #expect(try again.json["user_id"] == first.json["user_id"])
    let coded = try logIn("oauth2-google", #"{"authCode":"good"}"#)
    #expect(try profile(coded)["data"]?["email"]?.string == "coder@example.org")
    let apple = try logIn(
      "oauth2-apple", #"{"id_token":"\#(try mint("sub=g-1&aud=org.example.app&\(email)"))"}"#)
    #expect(try apple.json["user_id"]?.string != first.json["user_id"]?.string)
    for (provider, json) in [
      ("oauth2-google", #"{"authCode":"bad"}"#), ("oauth2-google", #"{"id_token":"a.b.c"}"#),
      // For somebody else, of somebody else, without the address, and too late.
      ("oauth2-google", #"{"id_token":"\#(try mint("sub=g-1&aud=other&\(email)"))"}"#),
      (
        "oauth2-google",
        #"{"id_token":"\#(try mint("sub=g-1&aud=web&\(email)&iss=https://accounts.google.com"))"}"#
      ),
      ("oauth2-google", #"{"id_token":"\#(try mint("sub=g-1&aud=web"))"}"#),
      ("oauth2-apple", #"{"id_token":"\#(try mint("sub=g-1&aud=web&\(email)"))"}"#),
      // The domain is not let in.
      ("oauth2-apple", #"{"id_token":"\#(try mint("sub=g-1&aud=org.example.app&email=a@other.org"))"}"#),
    ] {
      let refused = try logIn(provider, json)
      #expect(
        refused.status == "401 Unauthorized"
          && refused.body == #"{"error":"unauthorized","error_code":"AuthError"}"#)
    }
  }

  @Test func `keys are kept, and asked for once more where an issuer has changed them`() throws {
    defer { end() }
    for id in 0..<5 {
      #expect(
        try logIn("custom-token", #"{"token":"\#(try mint("sub=u\(id)&aud=app"))"}"#).status == "200 OK")
    }
    #expect(try peer.get("/count") == "1")
    // A name that is not known is looked for once in half a minute.
    let old = try mint("sub=u1&aud=app")
    _ = try peer.get("/rotate")
    #expect(try logIn("custom-token", #"{"token":"\#(old)"}"#).status == "200 OK")
    let new = try mint("sub=u1&aud=app")
    #expect(try logIn("custom-token", #"{"token":"\#(new)"}"#).status == "401 Unauthorized")
    #expect(try peer.get("/count") == "1")
  }

  @Test func `an issuer may sign with a key on a curve`() throws {
    defer { end() }
    _ = try peer.get("/rotate?kind=EC")
    let token = try mint("sub=c1&aud=app")
    #expect(try logIn("custom-token", #"{"token":"\#(token)"}"#).status == "200 OK")
    // The claims of another token under the same signature.
    let other = try mint("sub=c2&aud=app").split(separator: ".")
    let parts = token.split(separator: ".")
    let forged = [parts[0], other[1], parts[2]].joined(separator: ".")
    #expect(try logIn("custom-token", #"{"token":"\#(forged)"}"#).status == "401 Unauthorized")
  }

  @Test func `Facebook tells who has a token`() throws {
    defer { end() }
    let user = try profile(try logIn("oauth2-facebook", #"{"accessToken":"fb-token"}"#))
    #expect(user["data"] == .object(["name": .string("Fay B")]))
    #expect(user["identities"]?[0]?["id"]?.string == "4711")
    #expect(try logIn("oauth2-facebook", #"{"accessToken":"other"}"#).status == "401 Unauthorized")
  }

  @Test func `an issuer that does not answer is told`() throws {
    let token = try mint("sub=g-1&aud=org.example.app")
    peer.stop()
    let answer = try logIn("oauth2-apple", #"{"id_token":"\#(token)"}"#)
    #expect(answer.status == "503 Service Unavailable")
    #expect(
      answer.body == #"{"error":"the authentication provider does not answer","error_code":"AuthError"}"#)
    #expect(server.stop() == 0)
  }
}

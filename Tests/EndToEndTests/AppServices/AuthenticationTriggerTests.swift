import FoundationEssentials
import GatehouseTestSupport
import Testing

/// Triggers of a running server that are called when users log in.
@Suite(.enabled(if: Geonames.python != nil, "Python is not installed")) struct AuthenticationTriggerTests {
  @Test
  func `a login is sent as a signed webhook, again where it is not taken, and not to private addresses`()
    throws
  {
    let folder = try Sample.nodeStore()
    let peer = try PeerServer("webhook_server.py", in: folder)
    defer { peer.stop() }
    for (name, operation) in [("in", "LOGIN"), ("new", "CREATE"), ("gone", "DELETE")] {
      try AppFiles.write(
        """
        {"name":"\(name)","type":"AUTHENTICATION","config":{"operation_type":"\(operation)","providers":["anon-user"]},
         "event_processors":{"WEBHOOK":{"config":{"url":"http://127.0.0.1:\(peer.port)/\(name)","secret_name":"hook"}}}}
        """, to: "triggers/\(name).json", folder)
    }
    try AppFiles.write("open sesame", to: "auth/secrets/hook", folder)
    let server = try RunningServer(folder, options: ["--outbound-allow", "127.0.0.0/8"])
    let client = "/api/client/v2.0"
    let login = try server.send(
      "POST", "\(client)/app/a/auth/providers/anon-user/login", body: "{}"
    ).json
    let user = try #require(login["user_id"]?.string)
    let access = ["Authorization": "Bearer \(try #require(login["access_token"]?.string))"]
    #expect(try server.send("DELETE", "\(client)/auth/delete", fields: access).status == "204 No Content")
    #expect(try server.soon { try peer.log.split(separator: "\n").count == 3 })
    for line in try peer.log.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      let event = try JSON(parts[2])
      let operation = ["/in": "LOGIN", "/new": "CREATE", "/gone": "DELETE"][parts[0]]
      #expect(event["operationType"]?.string == operation)
      #expect(event["providers"] == .array([.string("anon-user")]))
      #expect(event["user"]?["id"]?.string == user)
      let code = Machine.run("printf %s '\(parts[2])' | openssl dgst -sha256 -hmac 'open sesame' -r").output
      #expect(parts[1] == "sha256=\(code.prefix(64))")
    }
    #expect(server.stop() == 0)
    // Nobody has allowed it.
    let strict = try RunningServer(folder)
    _ = try strict.send("POST", "\(client)/app/a/auth/providers/anon-user/login", body: "{}")
    let isRefused = {
      try strict.send("GET", "/v1/triggers").body.contains("the setting outbound.allow does not name it")
    }
    #expect(try strict.soon(isRefused))
    #expect(strict.stop() == 0)
  }
}

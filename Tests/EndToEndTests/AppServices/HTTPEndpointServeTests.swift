import FoundationEssentials
import GatehouseTestSupport
import Glibc
import Testing

/// HTTPS endpoints of a running server, whose files change while it runs.
@Suite(.enabled(if: hasNode, "Node is not installed")) struct HTTPEndpointServeTests {
  private static let files = [
    "http_endpoints/config.json": """
    [{"route":"/hello","http_method":"GET","function_name":"hello","validation_method":"NO_VALIDATION","respond_result":true,
      "return_type":"JSON"},
     {"route":"/orders/paid","http_method":"POST","function_name":"paid","validation_method":"VERIFY_PAYLOAD",
      "secret_name":"hook","respond_result":false},
     {"route":"/lacking","http_method":"*","function_name":"page","validation_method":"SECRET_AS_QUERY_PARAM","secret_name":"other"},
     {"route":"/page","http_method":"*","function_name":"page","validation_method":"SECRET_AS_QUERY_PARAM","secret_name":"hook"},
     {"route":"/mine","http_method":"GET","function_name":"mine","return_type":"EJSON"},
     {"route":"/data","http_method":"GET","function_name":"data","respond_result":true,"fetch_custom_user_data":true},
     {"route":"/no-data","http_method":"GET","function_name":"data","respond_result":true},
     {"route":"/off","http_method":"GET","function_name":"hello","disabled":true},
     {"route":"/fails","http_method":"GET","function_name":"fails"}]
    """,
    "auth/secrets/hook": "open sesame\n",
    "auth/providers.json": """
    {"local-userpass":{"config":{"autoConfirm":true}},"api-key":{}}
    """,
    "functions/config.json": """
    [{"name":"hello","private":true,"run_as_system":true},{"name":"paid","run_as_system":true},
     {"name":"page","run_as_system":true},{"name":"mine"},{"name":"data"},
     {"name":"fails","run_as_system":true}]
    """,
    "functions/hello.js": """
    exports = ({query, headers}) => ({
      name: query.name, several: headers["X-Two"], type: context.user.type, method: context.request.httpMethod, n: 5,
    });
    """,
    "functions/paid.js": """
    exports = ({body}, response) => {
      const {id} = JSON.parse(body.text());
      context.realm.create("Node", {_id: id, label: "paid"});
      response.setStatusCode(201);
      return "not shown";
    };
    """,
    "functions/page.js": """
    exports = (request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.addHeader("X-Part", "one");
      response.addHeader("x-part", "two");
      response.setBody("<p>" + (request.body === undefined ? "nothing" : request.body.text()) + "</p>");
    };
    """,
    "functions/fails.js": "exports = () => { throw new Error('no luck'); };",
    "functions/data.js": "exports = () => context.user.custom_data ?? {};",
    "functions/mine.js": "exports = () => ({id: context.user.id, n: 5});",
  ]

  private func server() throws -> (RunningServer, Folder) {
    let folder = try Sample.nodeStore()
    for (path, text) in Self.files { try AppFiles.write(text, to: path, folder) }
    return (try RunningServer(folder, environment: ["GATEHOUSE_ADMIN_KEY=k3y-of-the-administrator"]), folder)
  }

  @Test func `functions answer the routes of the file`() throws {
    let (server, folder) = try server()
    let base = "/app/shop-abcde/endpoint"
    let hello = try server.send("GET", "\(base)/hello?name=A%20B&x=1", fields: ["X-Two": "a"])
    #expect(hello.status == "200 OK" && hello.fields["content-type"] == "application/json")
    #expect(hello.body == #"{"name":"A B","several":["a"],"type":"system","method":"GET","n":5}"#)

    let signature = "sha256=\(Self.signature)"
    let content = #"{"id":7}"#
    let refused = try server.send(
      "POST", "\(base)/orders/paid", fields: ["Endpoint-Signature": "sha256=00"], body: content)
    #expect(refused.status == "401 Unauthorized")
    #expect(
      refused.body
        == #"{"error":"endpoint authentication failed","error_code":"IncomingWebhookAuthFailed"}"#)
    // A field of the sender's own is no credential here.
    let paid = try server.send(
      "POST", "\(base)/orders/paid", fields: ["Endpoint-Signature": signature, "api-key": "theirs"],
      body: content)
    #expect(paid.status == "201 Created" && paid.body.isEmpty && paid.fields["content-type"] == nil)
    let key = ["Authorization": "Bearer k3y-of-the-administrator"]
    let stored = try server.send("GET", "/v1/collections/Node/7?fields=label", fields: key)
    #expect(stored.body == #"{"label":"paid"}"#)

    #expect(try server.send("PUT", "\(base)/page?secret=closed", body: "x").status == "401 Unauthorized")
    // An endpoint whose secret is not there leaves the others alone.
    for secret in ["", "?secret=", "?secret=other", "?secret=open%20sesame"] {
      #expect(try server.send("PUT", "\(base)/lacking\(secret)", body: "x").status == "401 Unauthorized")
    }
    let page = try server.send("PUT", "\(base)/page?secret=open%20sesame", body: "x")
    #expect(page.status == "200 OK" && page.body == "<p>x</p>")
    #expect(page.fields["content-type"] == "text/html" && page.fields["x-part"] == "one, two")
    let nothing = try server.send("DELETE", "\(base)/page?secret=open%20sesame")
    #expect(nothing.body == "<p>nothing</p>")

    for (method, path) in [
      ("GET", "/nowhere"), ("POST", "/hello"), ("GET", "/orders"), ("GET", "/hello/"), ("GET", "/off"),
    ] {
      let missing = try server.send(method, base + path, body: method == "POST" ? "{}" : nil)
      #expect(missing.status == "404 Not Found", "\(path)")
      #expect(missing.body == #"{"error":"endpoint not found","error_code":"IncomingWebhookNotFound"}"#)
    }
    let failed = try server.send("GET", "\(base)/fails")
    #expect(failed.status == "400 Bad Request")
    #expect(failed.body == #"{"error":"no luck","error_code":"FunctionExecutionError"}"#)
    #expect(server.stop() == 0)
    withExtendedLifetime(folder) {}
  }

  /// Python's `hmac.new(b"open sesame", b'{"id":7}', "sha256").hexdigest()`.
  private static let signature = "b4778fbe45e5bfb159e9b37e9cc272b77df962b5e1449f70645db535351cefa8"

  @Test func `a function that is not the system's is called by a user`() throws {
    let (server, folder) = try server()
    let mine = "/app/any/endpoint/mine"
    let client = "/api/client/v2.0"
    let nobody = try server.send("GET", mine)
    #expect(nobody.status == "401 Unauthorized")
    #expect(
      nobody.body == #"{"error":"no authentication methods were specified","error_code":"InvalidParameter"}"#)
    let path = "\(client)/app/any/auth/providers/local-userpass"
    _ = try server.send("POST", "\(path)/register", body: #"{"email":"a@example.org","password":"secret1"}"#)
    let login = try server.send(
      "POST", "\(path)/login", body: #"{"username":"a@example.org","password":"secret1"}"#
    )
    .json
    let user = try #require(login["user_id"]?.string)
    let expected = #"{"id":"\#(user)","n":{"$numberInt":"5"}}"#
    let access = ["Authorization": "Bearer \(try #require(login["access_token"]?.string))"]
    #expect(try server.send("GET", mine, fields: access).body == expected)
    let administrator = ["Authorization": "Bearer k3y-of-the-administrator"]
    _ = try server.send(
      "PATCH", "/v1/users/\(user)", fields: administrator, body: #"{"customData":{"team":"red"}}"#)
    #expect(try server.send("GET", "/app/any/endpoint/data", fields: access).body == #"{"team":"red"}"#)
    #expect(try server.send("GET", "/app/any/endpoint/no-data", fields: access).body == "{}")
    let password = ["email": "a@example.org", "password": "secret1"]
    #expect(try server.send("GET", mine, fields: password).body == expected)
    let wrong = try server.send("GET", mine, fields: ["email": "a@example.org", "password": "secret2"])
    #expect(wrong.status == "401 Unauthorized" && wrong.body.contains("InvalidPassword"))
    let refresh = ["Authorization": "Bearer \(try #require(login["refresh_token"]?.string))"]
    let made = try server.send("POST", "\(client)/auth/api_keys", fields: refresh, body: #"{"name":"k"}"#)
      .json
    let key = try #require(made["key"]?.string)
    #expect(try server.send("GET", mine, fields: ["apiKey": key]).body == expected)
    let bad = try server.send("GET", mine, fields: ["apiKey": "x"])
    #expect(bad.status == "401 Unauthorized" && bad.body.contains("AuthError"))
    #expect(server.stop() == 0)
    withExtendedLifetime(folder) {}
  }

  @Test func `a file that has changed is taken, and one with a fault is told`() throws {
    let (server, folder) = try server()
    try AppFiles.write(
      #"[{"route":"/other","http_method":"GET","function_name":"hello"}]"#, to: "http_endpoints/config.json",
      folder)
    server.process.send(SIGHUP)
    let isTaken = { try server.send("GET", "/app/a/endpoint/other?name=x").status == "200 OK" }
    #expect(try RunningServer.soon(isTaken))
    #expect(try server.send("GET", "/app/a/endpoint/hello").status == "404 Not Found")
    try AppFiles.write(
      "[{\"route\":\"/third\",\n\"http_methods\":\"GET\",\"function_name\":\"hello\"}]",
      to: "http_endpoints/config.json", folder)
    server.process.send(SIGHUP)
    let told = "http_endpoints/config.json, line 2: “0.http_methods”: There is no member “http_methods”."
    #expect(try RunningServer.soon { try folder.contents(folder.file("serve.log")).contains(told) })
    #expect(try isTaken())
    #expect(server.stop() == 0)
  }
}

import GatehouseBSON
import Testing

@testable import GatehouseFunctions

/// `context.http`, against a server in the function's own process that tells what it was sent.
@Suite(.serialized, .enabled(if: FunctionsFixture.hasNode, "Node is not installed")) struct OutboundTests {
  private static let server = """
    const {createServer} = require('node:http');
    exports.serve = async body => {
      const server = createServer((request, response) => {
        const chunks = [];
        request.on('data', chunk => chunks.push(chunk));
        request.on('end', () => {
          if (request.url === '/moved') return response.writeHead(302, {location: '/there'}).end();
          const {host, connection, accept, 'accept-language': l, 'sec-fetch-mode': m, 'user-agent': u,
            'accept-encoding': e, 'content-length': n, 'transfer-encoding': t, ...headers} = request.headers;
          const status = request.url === '/missing' ? 404 : 200;
          response.writeHead(status, {
            'content-type': 'application/json', 'x-two': ['a', 'b'], 'set-cookie': ['k=v=w; Path=/', 'l=m'],
          });
          response.end(JSON.stringify({
            method: request.method, url: request.url, headers, body: Buffer.concat(chunks).toString(),
          }));
        });
      });
      await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
      try {
        return await body(server.address().port);
      } finally {
        server.closeAllConnections?.();
        server.close();
      }
    };
    """

  /// The calls, with the server's port in them, and the JSON that the server received.
  static let requests: [(call: String, sent: String)] = [
    (
      "http.get({url: `http://127.0.0.1:${port}/a?b=c`})",
      #"{"method":"GET","url":"/a?b=c","headers":{},"body":""}"#
    ),
    ("http.get(`http://127.0.0.1:${port}/`)", #"{"method":"GET","url":"/","headers":{},"body":""}"#),
    (
      """
      http.get({scheme: 'http', host: `127.0.0.1:${port}`, path: '/p', query: {q: ['1', 'x y'], r: ['&']},
        headers: {'X-One': ['a', 'b']}, cookies: {c: 'd', e: 'f'}, username: 'u', password: 'p', fragment: 'z'})
      """,
      #"{"method":"GET","url":"/p?q=1&q=x+y&r=%26","headers":{"x-one":"a, b","authorization":"Basic dTpw","#
        + #""cookie":"c=d; e=f"},"body":""}"#
    ),
    (
      "http.post({url: `http://127.0.0.1:${port}/`, body: {n: BSON.Long(5), s: 'é'}, encodeBodyAsJSON: true})",
      #"{"method":"POST","url":"/","headers":{"content-type":"application/json"},"body":"{\"n\":5,\"s\":\"é\"}"}"#
    ),
    (
      "http.post({url: `http://127.0.0.1:${port}/`, form: {a: 'b c', d: '&'}})",
      #"{"method":"POST","url":"/","headers":{"content-type":"application/x-www-form-urlencoded;charset=UTF-8"},"#
        + #""body":"a=b+c&d=%26"}"#
    ),
    (
      """
      http.put({url: `http://127.0.0.1:${port}/`, headers: {'Content-Type': ['text/x']},
        body: BSON.Binary.fromText('raw')})
      """,
      #"{"method":"PUT","url":"/","headers":{"content-type":"text/x"},"body":"raw"}"#
    ),
    (
      "http.patch({url: `http://127.0.0.1:${port}/`, body: 'text'})",
      #"{"method":"PATCH","url":"/","headers":{"content-type":"text/plain;charset=UTF-8"},"body":"text"}"#
    ),
    (
      "http.delete({url: `http://127.0.0.1:${port}/d`})",
      #"{"method":"DELETE","url":"/d","headers":{},"body":""}"#
    ),
    (
      "http.get({url: `http://127.0.0.1:${port}/moved`, followRedirects: true})",
      #"{"method":"GET","url":"/there","headers":{},"body":""}"#
    ),
    (
      "context.services.get('http').get({url: `http://127.0.0.1:${port}/`})",
      #"{"method":"GET","url":"/","headers":{},"body":""}"#
    ),
  ]

  @Test(arguments: requests)
  func `a request is sent as it was asked for`(call: String, sent: String) async throws {
    let source = """
      const {serve} = require('./lib/server');
      exports = () => serve(async port => {
        const {http} = context;
        return (await \(call)).body.text();
      });
      """
    try await FunctionsFixture.with(["f.js": source, "lib/server.js": Self.server]) { fixture async throws in
      #expect(try await fixture.call("f") == .string(sent))
    }
  }

  static let answers: [(call: String, result: String)] = [
    (
      "get({url: `${base}/missing`})",
      #"["404 Not Found",404,"application/json",["a, b"],{"k":"v=w","l":"m"},true]"#
    ),
    ("get({url: `${base}/moved`})", #"["302 Found",302,null,null,{},false]"#),
    ("head({url: `${base}/`})", #"["200 OK",200,"application/json",["a, b"],{"k":"v=w","l":"m"},false]"#),
  ]

  @Test(arguments: answers)
  func `an answer is told with status, fields and content`(call: String, result: String) async throws {
    let source = """
      const {serve} = require('./lib/server');
      exports = () => serve(async port => {
        const base = `http://127.0.0.1:${port}`;
        const {status, statusCode, headers, cookies, body} = await context.http.\(call);
        return JSON.stringify([status, statusCode, headers['Content-Type']?.[0] ?? null, headers['X-Two'] ?? null,
          cookies, body.length() > 0]);
      });
      """
    try await FunctionsFixture.with(["f.js": source, "lib/server.js": Self.server]) { fixture async throws in
      #expect(try await fixture.call("f") == .string(result))
    }
  }

  @Test(arguments: [
    ("[]", "http://127.0.0.1:PORT/", "ForbiddenAddress"),
    ("[]", "http://localhost:PORT/", "ForbiddenAddress"),
    ("[]", "http://[::1]:PORT/", "ForbiddenAddress"),
    ("[]", "http://[::ffff:127.0.0.1]:PORT/", "ForbiddenAddress"),
    ("[]", "http://10.1.2.3/", "ForbiddenAddress"), ("[]", "http://[fd00::1]/", "ForbiddenAddress"),
    (#"["127.0.0.0/8"]"#, "http://127.0.0.1:PORT/", "200"),
    (#"["127.0.0.0/8"]"#, "http://localhost:PORT/", "200"),
    (#"["127.0.0.1"]"#, "http://localhost:PORT/moved", "200"),
  ])
  func `a private address is refused, unless it is named`(allowed: String, url: String, outcome: String)
    async throws
  {
    let source = """
      const {serve} = require('./lib/server');
      exports = () => serve(async port => {
        try {
          const url = '\(url)'.replace('PORT', port);
          return String((await context.http.get({url, followRedirects: true})).statusCode);
        } catch (error) {
          return error.cause?.code ?? error.message;
        }
      });
      """
    guard case .array(let values) = try Value(json: allowed) else { return }
    let exceptions = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    let refused = FunctionConfiguration.RefusedAddresses(
      special: ["127.0.0.0/8", "10.0.0.0/8"], exceptions: exceptions)
    try await FunctionsFixture.with(
      ["f.js": source, "lib/server.js": Self.server], [.set(\.refusedAddresses, refused)]
    ) { fixture async throws in
      #expect(try await fixture.call("f") == .string(outcome))
    }
  }

  @Test func `what cannot be reached is thrown`() async throws {
    // Nobody listens at a port that was just given back.
    let source = """
      const {serve} = require('./lib/server');
      exports = async () => {
        const port = await serve(port => port);
        try {
          await context.http.get({url: `http://127.0.0.1:${port}/`});
        } catch (error) {
          return error.cause?.code;
        }
      };
      """
    try await FunctionsFixture.with(["f.js": source, "lib/server.js": Self.server]) { fixture async throws in
      #expect(try await fixture.call("f") == .string("ECONNREFUSED"))
    }
  }
}

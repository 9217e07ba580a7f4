import GatehouseBSON
import Testing

@testable import GatehouseFunctions

/// The global `utils` of JavaScript functions.
@Suite(.serialized, .enabled(if: FunctionsFixture.hasNode, "Node is not installed")) struct UtilitiesTests {
  /// The example of https://jwt.io.
  private static let token =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
  private static let keys =
    "const {privateKey, publicKey} = require('node:crypto').generateKeyPairSync('rsa', {modulusLength: 2048, publicKeyEncoding: {type: 'spki', format: 'pem'}, privateKeyEncoding: {type: 'pkcs1', format: 'pem'}});"
  private static let curve =
    "const {privateKey, publicKey} = require('node:crypto').generateKeyPairSync('ec', {namedCurve: 'P-256', publicKeyEncoding: {type: 'spki', format: 'pem'}, privateKeyEncoding: {type: 'pkcs8', format: 'pem'}});"

  @Test(
    arguments: [
      (
        "utils.jwt.encode('HS256', {sub: '1234567890', name: 'John Doe', iat: 1516239022}, 'your-256-bit-secret')",
        .string(token)
      ),
      (
        "utils.jwt.decode('\(token)', 'your-256-bit-secret', true)",
        [
          "header": ["alg": .string("HS256"), "typ": .string("JWT")],
          "payload": [
            "sub": .string("1234567890"), "name": .string("John Doe"), "iat": .int32(1_516_239_022),
          ],
        ]
      ),
      (
        "utils.jwt.decode(utils.jwt.encode('HS512', {a: 1}, 'k', {kid: 'x', alg: 'none'}), 'k', true, ['HS512']).header",
        ["kid": .string("x"), "alg": .string("HS512"), "typ": .string("JWT")]
      ),
      // RFC 4231, test case 2.
      (
        "utils.crypto.hmac('what do ya want for nothing?', 'Jefe', 'sha256', 'hex')",
        .string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
      ),
      ("utils.crypto.hash('sha1', 'abc').toHex()", .string("a9993e364706816aba3e25717850c26c9cd0d89d")),
      ("utils.crypto.hash('md5', '').toHex()", .string("d41d8cd98f00b204e9800998ecf8427e")),
      (
        "utils.crypto.decrypt('aes', utils.crypto.encrypt('aes', 'héllo', '0123456789abcdef'), '0123456789abcdef').text()",
        .string("héllo")
      ),
      (
        "utils.crypto.encrypt('aes', 'x', '0123456789abcdef').toHex() === utils.crypto.encrypt('aes', 'x', '0123456789abcdef').toHex()",
        .bool(false)
      ),
      ("Object.isFrozen(utils) && Object.isFrozen(utils.crypto)", .bool(true)),
      ("new BSON.RegExp('a', 'i').options", .string("i")),
    ] as [(String, Value)])
  func `tokens, digests and ciphers are what they are elsewhere`(expression: String, result: Value)
    async throws
  {
    try await FunctionsFixture.with(["f.js": "exports = () => \(expression);"]) { fixture async throws in
      #expect(try await fixture.call("f") == result)
    }
  }

  @Test(arguments: [
    "utils.jwt.decode('\(token)', 'other')",
    "utils.jwt.decode('\(token)', 'your-256-bit-secret', false, ['RS256'])",
    "utils.jwt.decode('a.b', 'k')",
    "utils.jwt.decode(utils.jwt.encode('HS256', {exp: 1}, 'k'), 'k')",
    "utils.jwt.decode(utils.jwt.encode('HS256', {nbf: 99999999999}, 'k'), 'k')",
    "utils.jwt.encode('none', {}, 'k')", "utils.jwt.decode('eyJhbGciOiJub25lIn0.e30.', 'k')",
    "utils.crypto.encrypt('aes', 'x', 'short')", "utils.crypto.encrypt('des', 'x', '0123456789abcdef')",
    "utils.crypto.decrypt('aes', utils.crypto.encrypt('aes', 'x', '0123456789abcdef'), '0123456789abcdeF')",
    "utils.crypto.hash('sha3', 'x')", "utils.crypto.hmac('x', 'k', 'sha256', 'octal')",
  ])
  func `what is wrong is an error`(expression: String) async throws {
    try await FunctionsFixture.with(["f.js": "exports = () => \(expression);"]) { fixture async throws in
      guard case .thrown? = await fixture.failure("f") else {
        Issue.record("\(String(describing: await fixture.failure("f")))")
        return
      }
    }
  }

  @Test func `keys sign what others verify`() async throws {
    let code = """
      exports = () => {
        \(Self.keys)
        const crypto = require('node:crypto');
        const signed = utils.crypto.sign('rsa', 'text', privateKey, 'pkcs1v15');
        const padded = utils.crypto.sign('rsa', 'text', privateKey.replaceAll('\\n', '\\\\n'));
        const ofOthers = crypto.sign('sha256', Buffer.from('text'), {key: privateKey, padding: 6, saltLength: 20});
        const token = utils.jwt.encode('RS256', {n: 1}, privateKey);
        const forged = utils.jwt.encode('HS256', {n: 1}, 'x').split('.').slice(0, 2).join('.');
        const mac = crypto.createHmac('sha256', publicKey).update(forged).digest('base64url');
        let refused;
        try { utils.jwt.decode(`${forged}.${mac}`, publicKey); } catch (error) { refused = error.message; }
        return [
          crypto.verify('sha256', Buffer.from('text'), publicKey, signed.buffer),
          utils.crypto.verify('rsa', 'text', publicKey, signed, 'pkcs1v15'), utils.crypto.verify('rsa', 'text', publicKey, padded),
          utils.crypto.verify('rsa', 'text', publicKey, new BSON.Binary(ofOthers)),
          utils.crypto.verify('rsa', 'texts', publicKey, padded), utils.jwt.decode(token, publicKey).n, refused,
        ];
      };
      """
    let elliptic = """
      exports = () => {
        \(Self.curve)
        const token = utils.jwt.encode('ES256', {n: 1}, privateKey);
        return [utils.jwt.decode(token, publicKey, false, ['ES256']).n, token.split('.')[2].length];
      };
      """
    try await FunctionsFixture.with(["f.js": code, "e.js": elliptic]) { fixture async throws in
      let yes = Value.bool(true)
      let refusal = Value.string("key is invalid for signing method 'HS256'")
      #expect(try await fixture.call("f") == .array([yes, yes, yes, yes, .bool(false), .int32(1), refusal]))
      // Two numbers of 32 bytes, as RFC 7518 has them.
      #expect(try await fixture.call("e") == .array([.int32(1), .int32(86)]))
    }
  }
}

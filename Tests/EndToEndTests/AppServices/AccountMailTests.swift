import FoundationEssentials
import GatehouseTestSupport
import Testing

/// Mails with tokens, which a server of Python's aiosmtpd takes.
@Suite(.enabled(if: PeerServer.hasModule("aiosmtpd"), "Python's aiosmtpd is not installed"))
struct AccountMailTests {
  private let folder: Folder
  private let peer: PeerServer

  init() throws {
    folder = try Sample.nodeStore()
    let made = Machine.run(
      """
      cd '\(folder.path)' && openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 \
      -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>&1
      """)
    try #require(made.status == 0, "\(made.output)")
    peer = try PeerServer(
      "smtp_server.py", [folder.file("certificate.pem"), folder.file("key.pem")], in: folder)
    try AppFiles.write(
      """
      {"local-userpass":{"config":{"autoConfirm":false,"emailConfirmationUrl":"https://app.example/confirm",
        "confirmEmailSubject":"Grüße: confirm","resetPasswordUrl":"https://app.example/reset?page=1"}}}
      """, to: "auth/providers.json", folder)
  }

  private func server(password: String = "house") throws -> RunningServer {
    try RunningServer(
      folder,
      options: [
        "--mail-server", "smtp://localhost:\(peer.port)", "--mail-from", "gate@example.org", "--mail-user",
        "gate",
        "--mail-certificates", folder.file("certificate.pem"),
      ], environment: ["GATEHOUSE_MAIL_PASSWORD=\(password)"])
  }

  /// The lines of mails in the server's log.
  private var lines: [String] {
    get throws {
      try peer.log.split(separator: "\n").map(String.init).filter { $0.hasPrefix("{") && $0.hasSuffix("}") }
    }
  }

  /// The mails that have come, once there are so many.
  private func mails(_ count: Int, _ server: RunningServer) throws -> [JSON] {
    #expect(try server.soon { try lines.count >= count })
    return try lines.map { try JSON($0) }
  }

  /// The token and its identifier in the link of a mail.
  private func token(_ mail: JSON) throws -> String {
    let text = try #require(mail["text"]?.string)
    let match = try #require(text.firstMatch(of: /[?&]token=([0-9a-f]+)&tokenId=([0-9a-f]+)/), "\(text)")
    return #""token":"\#(match.1)","tokenId":"\#(match.2)""#
  }

  @Test func `an account is confirmed and gets another password by mail`() throws {
    try AppFiles.write("Hello {{email}}! {{link}}\n", to: "auth/mail/reset.txt", folder)
    let server = try server()
    defer { peer.stop() }
    let post = { (path: String, json: String) in
      try server.send("POST", "/api/client/v2.0/app/a/auth/providers/local-userpass/\(path)", body: json)
    }
    #expect(
      try post("register", #"{"email":"ann@example.org","password":"secret1"}"#).status == "201 Created")
    let login = #"{"username":"ann@example.org","password":"secret1"}"#
    #expect(try post("login", login).body == #"{"error":"unauthorized","error_code":"AuthError"}"#)
    let first = try mails(1, server)[0]
    #expect(
      first["from"]?.string == "gate@example.org" && first["to"] == .array([.string("ann@example.org")]))
    #expect(
      first["subject"]?.string == "Grüße: confirm" && first["tls"] == .bool(true)
        && first["defects"] == .int(0))
    #expect(first["text"]?.string?.contains("https://app.example/confirm?token=") == true)
    // The token of the last mail is the one that is good.
    #expect(try post("confirm/send", #"{"email":"ann@example.org"}"#).status == "200 OK")
    let second = try mails(2, server)[1]
    #expect(try post("confirm", "{\(try token(first))}").status == "400 Bad Request")
    #expect(try post("confirm", "{\(try token(second))}").status == "200 OK")
    #expect(try post("login", login).status == "200 OK")
    #expect(try post("confirm/send", #"{"email":"ann@example.org"}"#).body.contains("UserAlreadyConfirmed"))

    for email in ["nobody@example.org", "ann@example.org"] {
      let sent = try post("reset/send", #"{"email":"\#(email)"}"#)
      #expect(sent.status == "200 OK" && sent.body.isEmpty)
    }
    let third = try mails(3, server)[2]
    #expect(
      third["subject"]?.string == "Set a new password" && third["to"] == .array([.string("ann@example.org")]))
    #expect(
      third["text"]?.string?.hasPrefix("Hello ann@example.org! https://app.example/reset?page=1&token=")
        == true)
    #expect(try post("reset", "{\(try token(third)),\"password\":\"secret2\"}").status == "200 OK")
    #expect(try post("login", login).status == "401 Unauthorized")
    #expect(try post("login", #"{"username":"ann@example.org","password":"secret2"}"#).status == "200 OK")
    // Five mails go to an address in an hour; more are not sent, and nobody is told.
    for _ in 0..<9 { #expect(try post("reset/send", #"{"email":"ann@example.org"}"#).status == "200 OK") }
    #expect(try mails(5, server).count == 5)
    #expect(server.stop() == 0)
    #expect(try lines.count == 5)
  }
}

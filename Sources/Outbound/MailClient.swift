internal import CGatehouseCurl
internal import Dispatch

/// Sends mail by a server that takes it from us (RFC 6409), by libcurl: with TLS from the beginning (`smtps`), or from `STARTTLS` on
/// (`smtp`).
public final class MailClient: Sendable {
  /// The server that takes mail.
  public struct Server: Sendable {
    /// `smtp://HOST:PORT` or `smtps://HOST:PORT`.
    public let url: String
    /// Empty: nobody logs in.
    public let user: String
    public let password: String
    /// A file in PEM of the authorities that are trusted; nil: those of the system.
    public let certificates: String?

    public init(url: String, user: String = "", password: String = "", certificates: String? = nil) {
      (self.url, self.user, self.password, self.certificates) = (url, user, password, certificates)
    }
  }

  private let server: Server
  private let queue = DispatchQueue(label: "gatehouse.mail")
  /// How long everything may take, in milliseconds.
  private static let timeout = 60_000

  public init(_ server: Server) {
    self.server = server
    TransferLoop.prepare()
  }

  /// Sends a message of RFC 5322, with CRLF at the ends of its lines, one after the other. Throws ``ClientError``.
  public func send(_ message: [UInt8], from sender: String, to recipient: String) async throws(ClientError) {
    guard MailClient.isSound(sender), MailClient.isSound(recipient) else { throw .malformedRequest }
    let result: Result<Void, ClientError> = await withCheckedContinuation { continuation in
      queue.async { [server] in
        SignalMask.withoutBrokenPipes {
          continuation.resume(returning: MailClient.perform(message, from: sender, to: recipient, by: server))
        }
      }
    }
    try result.get()
  }

  /// Whether an address ends no line and no path of an envelope.
  private static func isSound(_ address: String) -> Bool {
    !address.isEmpty && !address.utf8.contains { $0 <= 0x20 || $0 == 0x7F || $0 == 0x3C || $0 == 0x3E }
  }

  private static func perform(
    _ message: [UInt8], from sender: String, to recipient: String, by server: Server
  ) -> Result<Void, ClientError> {
    guard let transfer = curl_easy_init() else { preconditionFailure("no memory") }
    let recipients = curl_slist_append(nil, "<\(recipient)>")
    defer {
      curl_easy_cleanup(transfer)
      curl_slist_free_all(recipients)
    }
    curl_set_text(transfer, CURLOPT_URL, server.url)
    curl_set_text(transfer, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
    curl_set_number(transfer, CURLOPT_NOSIGNAL, 1)
    curl_set_number(transfer, CURLOPT_TIMEOUT_MS, timeout)
    curl_set_number(transfer, CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
    if !server.user.isEmpty {
      curl_set_text(transfer, CURLOPT_USERNAME, server.user)
      curl_set_text(transfer, CURLOPT_PASSWORD, server.password)
    }
    if let certificates = server.certificates { curl_set_text(transfer, CURLOPT_CAINFO, certificates) }
    let code = message.withUnsafeBytes {
      curl_send_mail(transfer, "<\(sender)>", recipients, $0.baseAddress, $0.count)
    }
    return code == CURLE_OK ? .success(()) : .failure(ClientError(code))
  }
}

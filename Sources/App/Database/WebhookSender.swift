import GatehouseBSON
import GatehouseCrypto
import GatehouseOutbound
import GatehouseTriggers

/// Sends the webhooks of triggers.
struct WebhookSender: Sendable {
  let client: HTTPClient

  /// Returns why the other side has not taken it; nil: it has.
  func send(_ webhook: Webhook, _ content: [UInt8], id: String) async -> String? {
    var fields = [
      HeaderField("Content-Type", "application/json"), HeaderField("User-Agent", "gatehouse"),
      HeaderField("Trigger-Event", id),
    ]
    if let secret = webhook.secret {
      let code = Hexadecimal.text(of: MessageCode.of(content, key: Array(secret.utf8)))
      fields.append(HeaderField("Endpoint-Signature", "sha256=\(code)"))
    }
    do throws(ClientError) {
      let answer = try await client.send(
        ClientRequest("POST", webhook.url, fields: fields, content: .bytes(content)))
      return (200..<300).contains(answer.status) ? nil : "the other server answered \(answer.status)"
    } catch {
      return "the other server: \(error.text)"
    }
  }
}

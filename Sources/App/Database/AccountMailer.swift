import GatehouseAPI
import GatehouseBSON
import GatehouseOutbound
import Synchronization

/// Writes and sends the mails of accounts, one after the other, apart from the requests that ask for them.
final class AccountMailer: Sendable {
  /// The most mails that wait.
  private static let capacity = 1_000
  /// The waits before a mail is sent again, in seconds; then it is given up.
  private static let pauses = [5, 60, 300]

  private typealias Posted = (mail: AccountMail, done: @Sendable () -> Void)

  private let continuation: AsyncStream<Posted>.Continuation
  private let work: Task<Void, Never>
  /// The mails that wait, or are being sent.
  private let waiting: Waiting

  /// - Parameters:
  ///   - folder: The folder with templates, `confirm.txt` and `reset.txt`.
  ///   - warn: Told of mails that are given up.
  init(
    _ client: MailClient, from sender: String, templates folder: String,
    warn: @escaping @Sendable (String) -> Void = { Output.warn($0) }
  ) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Posted.self, bufferingPolicy: .bufferingOldest(AccountMailer.capacity))
    self.continuation = continuation
    let waiting = Waiting()
    self.waiting = waiting
    work = Task {
      for await (mail, done) in stream {
        let message = MailMessage(mail, from: sender, template: MailTemplate(mail.purpose, in: folder))
        await AccountMailer.send(message, to: mail.email, by: client, from: sender, warn: warn)
        let left = waiting.count.subtract(1, ordering: .relaxed).newValue
        precondition(left >= 0, "a mail that is sent has waited")
        if !Task.isCancelled { done() }
      }
    }
  }

  deinit { work.cancel() }

  /// Takes a mail, and calls `done` once it is sent, or is given up. False: too many wait.
  func post(_ mail: AccountMail, done: @escaping @Sendable () -> Void) -> Bool {
    waiting.count.add(1, ordering: .relaxed)
    if case .enqueued = continuation.yield((mail, done)) { return true }
    waiting.count.subtract(1, ordering: .relaxed)
    return false
  }

  /// Whether no mail waits.
  var isIdle: Bool { waiting.count.load(ordering: .relaxed) == 0 }

  private final class Waiting: Sendable {
    let count = Atomic(0)
  }

  private static func send(
    _ message: MailMessage, to email: String, by client: MailClient, from sender: String,
    warn: (String) -> Void
  ) async {
    for pause in pauses + [0] {
      do throws(ClientError) {
        return try await client.send(message.bytes, from: sender, to: email)
      } catch {
        // Nobody's address is in the log.
        guard pause > 0 else {
          return warn("a mail cannot be sent, and is given up: the mail server: \(error.text)")
        }
        do { try await Task.sleep(for: .seconds(pause)) } catch { return }
      }
    }
  }
}

import GatehouseAccess
import GatehouseBSON
import Synchronization

/// Hands out mails with tokens, and bounds how many each address gets.
final class AccountLetters: Sendable {
  /// The most mails to one address in an hour.
  static let limit = 5

  private let post: AccountMail.Post?
  private let clock: @Sendable () -> Date
  private let counts = Mutex(AttemptLimit(limit: limit, period: 3_600))

  /// `post` nil: no mail is sent.
  init(_ post: AccountMail.Post?, clock: @escaping @Sendable () -> Date) {
    (self.post, self.clock) = (post, clock)
  }

  /// Whether mail can be sent.
  var areSent: Bool { post != nil }

  /// Counts a mail that is to be sent. Throws ``UserError/tooManyAttempts(seconds:)``.
  func count(to email: String) throws(UserError) {
    let now = clock().seconds
    if let wait = counts.withLock({ $0.count(EmailAddress.key(email), at: now) }) {
      throw .tooManyAttempts(seconds: wait)
    }
  }

  /// Has a mail sent; `done` is called once it is, or is given up. Throws ``UserError/tooManyWaiting(seconds:)``.
  func send(_ mail: AccountMail, done: @escaping @Sendable () -> Void) throws(UserError) {
    guard post?(mail, done) == true else { throw .tooManyWaiting(seconds: 60) }
  }
}

import GatehouseAccess
import GatehouseBSON
import Synchronization
import Testing

@testable import GatehouseAPI

/// Mails that accounts are sent.
@Suite struct AccountLetterTests {
  @Test func `a mail has the token in its link, and an address gets five in an hour`() throws {
    let mails = Mutex<[AccountMail]>([])
    let seconds = Atomic<Int64>(1_700_000_000)
    let letters = AccountLetters(
      { mail in
        mails.withLock { $0.append(mail) }
        return true
      }, clock: { Date(seconds: seconds.load(ordering: .relaxed)) })
    for (url, link) in [
      ("https://a.example/x", "https://a.example/x?token=t&tokenId=i"),
      ("https://a.example/#/x?y=1", "https://a.example/#/x?y=1&token=t&tokenId=i"),
    ] {
      let letter = Providers.Passwords.Letter(subject: "s", url: url)
      try letters.send(AccountMail(.reset, to: "a@example.org", letter, token: "t", tokenID: "i"))
      #expect(mails.withLock { $0.last?.link } == link)
    }
    for _ in 0..<AccountLetters.limit { try letters.count(to: "A@example.org") }
    #expect(throws: UserError.tooManyAttempts(seconds: 3_600)) { try letters.count(to: "a@EXAMPLE.org") }
    try letters.count(to: "b@example.org")
    seconds.add(3_600, ordering: .relaxed)
    try letters.count(to: "a@example.org")
  }

  @Test func `a mail that nobody takes is refused`() {
    let letter = Providers.Passwords.Letter(subject: "s", url: "https://a.example")
    let mail = AccountMail(.confirm, to: "a@example.org", letter, token: "t", tokenID: "i")
    for letters in [AccountLetters({ _ in false }, clock: { .now }), AccountLetters(nil, clock: { .now })] {
      #expect(throws: UserError.tooManyWaiting(seconds: 60)) { try letters.send(mail) }
    }
  }
}

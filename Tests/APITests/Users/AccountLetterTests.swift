import GatehouseAccess
import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP
import GatehouseStorage
import Synchronization
import Testing

@testable import GatehouseAPI

/// Mails that accounts are sent.
@Suite struct AccountLetterTests {
  @Test func `a mail has the token in its link, and an address gets five in an hour`() throws {
    let mails = Mutex<[AccountMail]>([])
    let seconds = Atomic<Int64>(1_700_000_000)
    let letters = AccountLetters(
      { mail, _ in
        mails.withLock { $0.append(mail) }
        return true
      }, clock: { Date(seconds: seconds.load(ordering: .relaxed)) })
    for (url, link) in [
      ("https://a.example/x", "https://a.example/x?token=t&tokenId=i"),
      ("https://a.example/#/x?y=1", "https://a.example/#/x?y=1&token=t&tokenId=i"),
    ] {
      let letter = Providers.Passwords.Letter(subject: "s", url: url)
      try letters.send(AccountMail(.reset, to: "a@example.org", letter, token: "t", tokenID: "i")) {}
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
    for letters in [AccountLetters({ _, _ in false }, clock: { .now }), AccountLetters(nil, clock: { .now })]
    {
      #expect(throws: UserError.tooManyWaiting(seconds: 60)) { try letters.send(mail) {} }
    }
  }

  @Test func `a mail that has not left when the process ends is sent by the next one`() async throws {
    let providers = try Providers(
      notation: try Value(
        json: """
          {"local-userpass":{"config":{"autoConfirm":false,"emailConfirmationUrl":"https://app.example/confirm"}}}
          """)
    ) { _ in nil }
    let fixture = try await Fixture()
    let sent = Mutex<[(mail: AccountMail, done: @Sendable () -> Void)]>([])
    func users() async throws -> Users {
      var outbound = Users.Outbound()
      outbound.mail = { mail, done in
        sent.withLock { $0.append((mail, done)) }
        return true
      }
      return try await Users(
        fixture.store, providers: providers,
        cost: try ScryptCost(iterations: 2, blockSize: 1, parallelism: 1),
        outbound: outbound)
    }
    func letters() async throws -> Int {
      try await fixture.store.read { try $0.records(UserRecords.letterKind, limit: 10).count }
    }
    let functions = fixture.gateway.context.functions.accountFunctions(
      for: Request(method: .get, target: Target(path: "/", query: nil)))
    let first = try await users()
    try await first.accounts.register(
      email: "a@example.org", password: "secret1", from: 1, functions)
    #expect(sent.withLock { $0.count } == 1)
    #expect(try await letters() == 1)
    // Nothing in the store is the token.
    let token = sent.withLock { $0[0].mail.link.split(separator: "token=")[1].prefix(60) }
    let records = try await fixture.store.read { try $0.records(UserRecords.letterKind, limit: 10) }
    #expect(!String(decoding: records[0].value, as: UTF8.self).contains(token))
    // The first process ends here.
    let second = try await users()
    try await second.sendLettersAgain()
    let mails = sent.withLock { $0.map(\.mail) }
    #expect(mails.count == 2 && mails[1].email == "a@example.org" && mails[1].link != mails[0].link)
    sent.withLock { $0[1].done }()
    while try await letters() > 0 { await Task.yield() }
    try await second.sendLettersAgain()
    #expect(sent.withLock { $0.count } == 2)
    await fixture.remove()
  }
}

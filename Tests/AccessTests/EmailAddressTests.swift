import GatehouseAccess
import Testing

@Suite struct EmailAddressTests {
  @Test(arguments: [
    "a@example.org", "Ann.O'Neil+x@example.org", "ünï@bücher.example", "अ@example.org", "a",
    String(repeating: "a", count: 254),
  ])
  func `a text can be an address`(text: String) {
    #expect(EmailAddress.isValid(text))
  }

  @Test(arguments: [
    "", " a@example.org", "a@example.org ", "a b@example.org", "\ta@example.org", "a@example.org\n",
    "a@example.org\r\nBcc: x@example.org", "a\u{0}@example.org", "a\u{7F}@example.org", "a\u{85}@example.org",
    // Invisible characters: zero-width space and joiner, soft hyphen, right-to-left override, byte order mark, a
    // filler, a variation selector, tags.
    "a\u{200B}@example.org", "a\u{200D}@example.org", "a\u{AD}@example.org", "a\u{202E}@example.org",
    "\u{FEFF}a@example.org", "a\u{3164}@example.org", "a\u{FE0F}@example.org", "a\u{E0041}@example.org",
    "a\u{A0}@example.org", "a\u{3000}@example.org", "a\u{2028}@example.org", "a\u{E000}@example.org",
    // Blank ones that Unicode has among symbols, letters and marks, and the Hangul fillers.
    "a\u{2800}@example.org", "a\u{115F}@example.org", "a\u{1160}@example.org", "a\u{FFA0}@example.org",
    "a\u{1D159}@example.org", "a\u{16FE4}@example.org", "a\u{13441}@example.org", "a\u{13442}@example.org",
    String(repeating: "a", count: 255), String(repeating: "é", count: 128),
  ])
  func `a text cannot be an address`(text: String) {
    #expect(!EmailAddress.isValid(text))
  }

  @Test(arguments: [
    ("Ann@Example.ORG", "ann@example.org", true), ("é@x.example", "e\u{301}@x.example", true),
    ("É@x.example", "e\u{301}@x.example", true), ("\u{212B}@x.example", "å@x.example", true),
    ("\u{1E9E}@x.example", "ss@x.example", false), ("а@x.example", "a@x.example", false),
    ("a@x.example", "a@y.example", false),
  ])
  func `addresses are the same but for case and composition`(first: String, second: String, isSame: Bool) {
    #expect((Array(EmailAddress.key(first).utf8) == Array(EmailAddress.key(second).utf8)) == isSame)
    #expect(EmailAddress.key(EmailAddress.key(first)) == EmailAddress.key(first))
  }
}

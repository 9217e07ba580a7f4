import GatehouseDocuments
import Testing

struct PatternTests {
  @Test(arguments: [
    ("abc", "", "xabcx", true), ("^abc$", "", "abc\n", true), ("^b", "", "a\nb", false),
    ("^b", "m", "a\nb", true),
    ("a.c", "", "a\nc", false), ("a.c", "s", "a\nc", true), ("ABC", "i", "xabc", true), ("É", "i", "é", true),
    ("a b # comment", "x", "ab", true), ("[^a-c]", "", "abc", false), ("[]a]", "", "]", true),
    ("[a\\-z]", "", "-", true),
    ("\\d{2,3}$", "", "a12", true), ("^\\d{2}$", "", "123", false), ("(a|b)*c", "", "abac", true),
    ("a{,2}", "", "a{,2}", true),
    ("\\bfoo\\b", "", "a foo b", true), ("\\bfoo\\b", "", "afoo", false), ("(?i)a(?-i)B", "", "AB", true),
    ("(?:ab)+$", "", "abab", true),
    ("\\p{Lu}", "", "aÄ", true), ("\\P{L}", "", "aÄ", false), ("[[:digit:]x]", "", "7", true),
    ("\\Qa.b\\E", "", "a.b", true),
    ("\\Qa.b\\E", "", "axb", false), ("\\x41\\x{1F600}", "", "A😀", true), ("a??b", "", "ab", true),
    ("", "", "", true), ("\\w+@\\w+", "", "x@y", true),
    ("[\\d\\s]+$", "", "a 1 2", true), ("^(?:x|xy)z", "", "xyz", true), ("\\Aa\\z", "", "a", true),
  ])
  func `a pattern matches as PCRE has it`(pattern: String, options: String, text: String, isMatch: Bool)
    throws
  {
    #expect(try Pattern(pattern, options: options).matches(text) == isMatch, "\(pattern) on \(text)")
  }

  @Test func `groups and quantifiers have a bound in depth`() throws {
    func pattern(groups: Int, quantifiers: Int) -> String {
      let end = ")" + String(repeating: "{1}", count: quantifiers)
      return String(repeating: "(?:", count: groups) + "a" + String(repeating: end, count: groups)
    }
    #expect(try Pattern(pattern(groups: 99, quantifiers: 10), options: "").matches("a"))
    for (groups, quantifiers) in [(100, 1), (1, 11)] {
      #expect(throws: DocumentsError.self) {
        try Pattern(pattern(groups: groups, quantifiers: quantifiers), options: "")
      }
    }
  }

  @Test(arguments: [
    "(a", "a)", "[a", "*a", "a{3,2}", "(?=a)", "(a)\\1", "\\", "(?>a)", "[z-a]", "a{1001}", "\\p{Xx}",
  ])
  func `a pattern that is wrong or has no bound in time is refused`(pattern: String) {
    #expect(error { _ = try Pattern(pattern, options: "") }?.code == .location(51091))
  }

  @Test(arguments: [
    "(a+)+$", "(a|a)*$", "(a*)*b", "(.*)*x", "(a?){100}a{100}", "(?:(?:(?:(?:){1000}){1000}){1000}){1000}",
    "(?:(?:(?:(?:a{0}){1000}){1000}){1000}){1000}",
  ])
  func `no pattern takes long`(pattern: String) throws {
    let text = String(repeating: "a", count: 2_000) + "!"
    _ = try Pattern(pattern, options: "").matches(text)
  }

  @Test func `a program has a bound in size`() {
    #expect(error { _ = try Pattern("((a{100}){100}){100}", options: "") }?.code == .location(51091))
    #expect(
      error { _ = try Pattern(String(repeating: "a", count: 40_000), options: "") }?.code == .location(51091))
    #expect(
      error { _ = try Pattern("a" + String(repeating: "*", count: 500), options: "") }?.code
        == .location(51091))
    #expect(
      error { _ = try Pattern(String(repeating: "(", count: 500), options: "") }?.code == .location(51091))
  }
}

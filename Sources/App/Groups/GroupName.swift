/// The name of a group of an app's classes, which is its place below `/v1/apps/APP/groups/`, and its folder.
struct GroupName: Hashable, Sendable {
  let text: String

  /// The rule, in words.
  static let rule =
    "1 to 63 of A–Z, a–z, 0–9, - and _, a letter first, and neither “main” nor a word that is reserved"

  /// Nil: it is no such name.
  init?(_ text: String) {
    guard AppName(text) != nil, text.lowercased() != "main" else { return nil }
    self.text = text
  }
}

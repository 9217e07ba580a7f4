/// A member that is wrong, of a document that is no object of a class.
struct MemberError: Hashable {
  /// The rule that broke.
  enum Rule: String, Hashable {
    case missing = "member_missing"
    case unknownMember = "unknown_member"
    case wrongType = "wrong_type"
    case unknownClass = "unknown_class"
    case unknownRole = "unknown_role"
    case tooMany = "too_many"
    case repeated
  }

  let pointer: String
  let rule: Rule
}

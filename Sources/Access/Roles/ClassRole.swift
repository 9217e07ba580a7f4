/// The rights of a role for the objects of one class.
public struct ClassRole: Hashable, Sendable {
  public let read: Rule
  public let write: Rule
  /// Names of the properties that are neither shown nor written.
  public let hidden: Set<String>
  /// Names of the properties that are not written.
  public let fixed: Set<String>
  /// The most that a caller may have of the objects that ``write`` lets them write; nil: any number.
  public let quota: Quota?

  public init(
    read: Rule, write: Rule, hidden: Set<String> = [], fixed: Set<String> = [], quota: Quota? = nil
  ) {
    self.quota = quota
    self.read = read
    self.write = write
    self.hidden = hidden
    self.fixed = fixed
  }

  /// Nothing is allowed.
  public static let none = ClassRole(read: .never, write: .never)
  /// Everything is allowed.
  public static let all = ClassRole(read: .always, write: .always)
}

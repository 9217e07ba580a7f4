/// The rights of a role for the objects of one class.
public struct ClassRole: Hashable, Sendable {
  public let read: Rule
  public let write: Rule
  /// Names of the properties that are neither shown nor written.
  public let hidden: Set<String>
  /// Names of the properties that are not written.
  public let fixed: Set<String>

  public init(read: Rule, write: Rule, hidden: Set<String> = [], fixed: Set<String> = []) {
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

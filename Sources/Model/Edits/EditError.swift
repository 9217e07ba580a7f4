/// The reason why an edit could not be applied.
public enum EditError: Error, Hashable, Sendable {
  /// It does not fit what the object holds.
  case inapplicable(EditConflict)
  /// The outcome would be no object of the class.
  case invalid(ValidationError)
  /// The outcome would have more bytes than that.
  case tooLarge(limit: Int)
}

import GatehouseBSON

/// The work that a database has when nobody asks for any.
enum Outlook: Hashable, Sendable {
  /// It has some now.
  case busy
  /// It has none before that time; nil: none at all.
  case idle(until: Date?)
}

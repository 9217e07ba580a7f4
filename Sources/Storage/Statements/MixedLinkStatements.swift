/// The statements on `_mixed_links`, the notes of the links inside mixed values.
enum MixedLinkStatements {
  /// `?1` class and `?2` key of the target, `?3` class, `?4` key and `?5` property of the owner.
  static let insert =
    "INSERT INTO _mixed_links (target, target_key, owner, owner_key, property) VALUES (?1, ?2, ?3, ?4, ?5)"
  /// `?1` class and `?2` key of the owner.
  static let removeOwner = "DELETE FROM _mixed_links WHERE owner = ?1 AND owner_key = ?2"
  /// `?1` class and `?2` key of the owner, `?3` property.
  static let removeProperty = "DELETE FROM _mixed_links WHERE owner = ?1 AND owner_key = ?2 AND property = ?3"
  /// `?1` class and `?2` key of the target.
  static let removeTarget = "DELETE FROM _mixed_links WHERE target = ?1 AND target_key = ?2"
  /// `?1` class and `?2` key of the target → class, key and property of each owner.
  static let owners =
    "SELECT DISTINCT owner, owner_key, property FROM _mixed_links WHERE target = ?1 AND target_key = ?2"
  /// `?1` class and `?2` key of the target, `?3` class and `?4` property of the owner → the owners' keys, once per link.
  static let ownerKeys =
    "SELECT owner_key FROM _mixed_links WHERE target = ?1 AND target_key = ?2 AND owner = ?3 AND property = ?4"
  /// The same, each owner once.
  static let distinctOwnerKeys = """
    SELECT DISTINCT owner_key FROM _mixed_links \
    WHERE target = ?1 AND target_key = ?2 AND owner = ?3 AND property = ?4
    """
  /// The same, each owner once, in order.
  static let orderedOwnerKeys = "\(distinctOwnerKeys) ORDER BY owner_key"
  /// `?1` class and `?2` key of the target, `?3` class and `?4` property of the owner, `?5` another key of the target.
  static let setTargetKey = """
    UPDATE _mixed_links SET target_key = ?5 \
    WHERE target = ?1 AND target_key = ?2 AND owner = ?3 AND property = ?4
    """
}

/// The statements on `_records`, the values that the gateway keeps for itself.
enum RecordStatements {
  /// `?1` kind, `?2` key → value.
  static let value = "SELECT value FROM _records WHERE kind = ?1 AND key = ?2"
  /// `?1` kind, `?2` key, `?3` limit → key and value of the records behind that key.
  static let behindKey = "SELECT key, value FROM _records WHERE kind = ?1 AND key > ?2 ORDER BY key LIMIT ?3"
  /// `?1` kind, `?2` and `?3` a range of keys, `?4` limit → key and value of its records.
  static let inRange =
    "SELECT key, value FROM _records WHERE kind = ?1 AND key >= ?2 AND key < ?3 ORDER BY key LIMIT ?4"
  /// `?1` kind → a row, where there is a record of another one.
  static let ofOtherKind = "SELECT 1 FROM _records WHERE kind <> ?1 LIMIT 1"
  /// `?1` kind, `?2` and `?3` a range of keys → the number of its records.
  static let countInRange = "SELECT count(*) FROM _records WHERE kind = ?1 AND key >= ?2 AND key < ?3"
  /// `?1` kind, `?2` key, `?3` value.
  static let set = "INSERT OR REPLACE INTO _records (kind, key, value) VALUES (?1, ?2, ?3)"
  /// `?1` kind, `?2` key.
  static let remove = "DELETE FROM _records WHERE kind = ?1 AND key = ?2"
  /// `?1` kind, `?2` and `?3` a range of keys.
  static let removeRange = "DELETE FROM _records WHERE kind = ?1 AND key >= ?2 AND key < ?3"
}

/// The statements on `_receipts`, the answers to requests that must not be performed twice.
enum ReceiptStatements {
  /// `?1` key, `?2` time → fingerprint and answer of the request, if it was performed after that time.
  static let answer = "SELECT fingerprint, answer FROM _receipts WHERE key = ?1 AND time > ?2"
  /// `?1` key, `?2` fingerprint, `?3` time, `?4` answer.
  static let insert =
    "INSERT OR REPLACE INTO _receipts (key, fingerprint, time, answer) VALUES (?1, ?2, ?3, ?4)"
  /// `?1` time, `?2` limit: removes the oldest answers from up to then.
  static let removeExpired = """
    DELETE FROM _receipts WHERE key IN \
    (SELECT key FROM _receipts WHERE time <= ?1 ORDER BY time LIMIT ?2)
    """
}

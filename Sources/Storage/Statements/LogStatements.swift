/// The statements on `_commits` and `_changes`, the change log.
enum LogStatements {
  /// → the last version; null where there is none.
  static let lastVersion = "SELECT max(version) FROM _commits"
  /// → the time of the last commit, and the bytes of the log up to there.
  static let lastCommit = "SELECT time, size FROM _commits ORDER BY version DESC LIMIT 1"
  /// `?1` version → the bytes of the log up to there.
  static let size = "SELECT size FROM _commits WHERE version <= ?1 ORDER BY version DESC LIMIT 1"
  /// `?1` version, `?2` time → the first commit from that version on, and whether it was before the time.
  static let isBefore = "SELECT version, time < ?2 FROM _commits WHERE version >= ?1 ORDER BY version LIMIT 1"
  /// `?1` version, `?2` bytes → the first commit from that version on, and whether the log had at most so many bytes then.
  static let isUpTo = "SELECT version, size <= ?2 FROM _commits WHERE version >= ?1 ORDER BY version LIMIT 1"
  /// `?1` version, `?2` time, `?3` bytes of the log.
  static let insertCommit = "INSERT INTO _commits (version, time, size) VALUES (?1, ?2, ?3)"

  /// The columns of a change `c` in the commit `t`, in the order in which rows of the log are read.
  private static let change =
    "c.version, c.ordinal, c.class, c.id, c.operation, c.before, c.after, c.elements, c.object_key, t.time"

  /// `?1` version and `?2` ordinal of a position, `?3` last version → the changes after the position.
  static let changes = """
    SELECT \(change) FROM _changes AS c LEFT JOIN _commits AS t ON t.version = c.version \
    WHERE (c.version, c.ordinal) > (?1, ?2) AND c.version <= ?3 ORDER BY c.version, c.ordinal
    """
  /// `?1` version, `?2` last version → the changes after the first version, the last one first.
  static let changesBackward = """
    SELECT \(change) FROM _changes AS c LEFT JOIN _commits AS t ON t.version = c.version \
    WHERE c.version > ?1 AND c.version <= ?2 ORDER BY c.version DESC, c.ordinal DESC
    """
  /// `?1` version, `?2` last version, `?3` operation → version, before, after and elements of such changes after the first.
  static let changesOfOperation = """
    SELECT version, before, after, elements FROM _changes WHERE version > ?1 AND version <= ?2 \
    AND operation = ?3 ORDER BY version
    """
  /// `?1` version, `?2` ordinal, `?3` class, `?4` object key, `?5` identifier, `?6` operation, `?7` before, `?8` after,
  /// `?9` elements.
  static let insertChange = """
    INSERT INTO _changes (version, ordinal, class, object_key, id, operation, before, after, \
    elements) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    """
  /// `?1` image, `?2` version, `?3` class, `?4` object key, `?5` operation: says what an object became, where that is left
  /// to its row.
  static let completeChange = """
    UPDATE _changes SET after = ?1 WHERE version = ?2 AND class = ?3 AND object_key = ?4 AND operation = ?5 \
    AND after IS NULL
    """

  // The index of changes by object, in temporary tables of a reader: the file itself is open for reading only.

  /// Makes the index anew.
  static let makeIndex = """
    PRAGMA query_only = 0;
    DROP TABLE IF EXISTS temp._change_index;
    DROP TABLE IF EXISTS temp._link_index;
    CREATE TEMP TABLE _change_index (
      class TEXT NOT NULL, id, version INTEGER NOT NULL, ordinal INTEGER NOT NULL,
      PRIMARY KEY (class, id, version, ordinal)
    ) WITHOUT ROWID;
    CREATE TEMP TABLE _link_index (
      class TEXT NOT NULL, property TEXT NOT NULL, target, version INTEGER NOT NULL,
      ordinal INTEGER NOT NULL, id, PRIMARY KEY (class, property, target, version, ordinal, id)
    ) WITHOUT ROWID;
    """
  /// `?1` class, `?2` identifier, `?3` version and `?4` ordinal of a position → the object's changes after it.
  static let changesOfObject = """
    SELECT \(change) FROM temp._change_index AS i \
    CROSS JOIN main._changes AS c ON c.version = i.version AND c.ordinal = i.ordinal \
    LEFT JOIN main._commits AS t ON t.version = c.version \
    WHERE i.class = ?1 AND i.id = ?2 AND (i.version, i.ordinal) > (?3, ?4) ORDER BY i.version, i.ordinal
    """
  /// `?1`, `?2` and `?3`, `?4` two positions, `?5` operation: takes in the changes between them, but those of that operation.
  /// In the order of the index, so that its pages are filled one after the other.
  static let indexChanges = """
    INSERT OR IGNORE INTO temp._change_index SELECT class, id, version, ordinal FROM main._changes \
    WHERE (version, ordinal) > (?1, ?2) AND (version, ordinal) <= (?3, ?4) \
    AND operation <> ?5 ORDER BY class, id, version, ordinal
    """
  /// `?1`, `?2` and `?3`, `?4` two positions, `?5` offset → the position of the change of that number from the first one on.
  static let positionFromStart = position(orderedBy: "version, ordinal")
  /// The same from the second one back.
  static let positionFromEnd = position(orderedBy: "version DESC, ordinal DESC")

  private static func position(orderedBy order: String) -> String {
    """
    SELECT version, ordinal FROM main._changes WHERE (version, ordinal) > (?1, ?2) \
    AND (version, ordinal) <= (?3, ?4) ORDER BY \(order) LIMIT 1 OFFSET ?5
    """
  }

  /// `?1` class, `?2` property, `?3` identifier of the target, `?4` version and `?5` ordinal of the change that ended the
  /// link, `?6` identifier of the object.
  static let insertFormerLink = "INSERT OR IGNORE INTO temp._link_index VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
  /// `?1` class, `?2` property, `?3` identifier of the target, `?4` version and `?5` ordinal of a position → the
  /// identifiers of the objects that had such a link until a later change.
  static let formerOwners = """
    SELECT DISTINCT id FROM temp._link_index \
    WHERE class = ?1 AND property = ?2 AND target = ?3 AND (version, ordinal) > (?4, ?5)
    """
}

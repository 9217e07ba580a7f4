/// The statements that set up connections and make the tables of our own.
enum FileStatements {
  /// For a file that is written and never read, so that it needs no journal. The cache is for few pages, which leave it soon.
  static let passPages = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1024"
  /// Settings of the connection that writes.
  static func configureWriter(cacheSize: Int) -> String {
    """
    PRAGMA journal_mode = WAL;
    \(syncAtCommit(true));
    PRAGMA foreign_keys = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = FAST;
    \(setCacheSize(cacheSize));
    """
  }

  /// Settings of a connection that makes a scratch file of at most so many pages, which nobody misses after a crash.
  static func configureScratch(cacheSize: Int, pages: Int) -> String {
    """
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA max_page_count = \(pages);
    \(setCacheSize(cacheSize));
    """
  }

  /// Settings of a connection that reads.
  static func configureReader(cacheSize: Int) -> String {
    "\(setCacheSize(cacheSize)); PRAGMA mmap_size = 0; PRAGMA query_only = 1;"
  }

  /// Whether a commit waits until the write-ahead log is on the disk. If not, SQLite syncs the log before it is moved, or begins anew
  /// (<https://sqlite.org/pragma.html#pragma_synchronous>). Not to be changed within a transaction.
  static func syncAtCommit(_ isSynced: Bool) -> String {
    "PRAGMA synchronous = \(isSynced ? "FULL" : "NORMAL")"
  }

  /// The size of a connection's page cache: pages, or KiB where it is negative.
  static func setCacheSize(_ size: Int) -> String { "PRAGMA cache_size = \(size)" }

  /// Bounds the pages of the file, and as much again those of temporary tables, that a connection keeps; in KiB.
  static func limitPageCache(to kibibytes: Int) -> String {
    "PRAGMA main.cache_size = -\(kibibytes); PRAGMA temp.cache_size = -\(kibibytes);"
  }
  /// Gives back memory that a connection does not need.
  static let shrinkMemory = "PRAGMA shrink_memory"
  /// → the number of pages that the file has once the write-ahead log is in it.
  static let pages = "PRAGMA page_count"

  static let pageSize = "PRAGMA page_size"
  /// → the number of pages of the file that hold nothing.
  static let freePages = "PRAGMA freelist_count"
  /// → the number of our format.
  static let format = "PRAGMA user_version"
  /// → the mark by which files of ours are known.
  static let applicationID = "PRAGMA application_id"
  /// → the number of tables and indexes in the file.
  static let tableCount = "SELECT count(*) FROM sqlite_schema"

  /// The table of records. Files of the same format may come from before there were any.
  static let makeRecords = """
    CREATE TABLE IF NOT EXISTS _records (
      kind TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, key)
    ) WITHOUT ROWID;
    """
  /// The blocks of long lists. Files of the same format may come from before there were any.
  static let makeListBlocks = """
    CREATE TABLE IF NOT EXISTS _list_blocks (
      list TEXT NOT NULL, owner INTEGER NOT NULL, position INTEGER NOT NULL, elements INTEGER NOT NULL,
      PRIMARY KEY (list, owner, position)
    ) WITHOUT ROWID;
    """

  /// The store's secret. Files of the same format may come from before there was any.
  static let secret =
    "SELECT value FROM _meta WHERE name = 'secret' AND typeof(value) = 'blob' AND length(value) = 32"
  /// Chooses the store's secret, by SQLite's generator, which the system's seeds (`os_unix.c`, `unixRandomness`).
  static let makeSecret = "INSERT OR REPLACE INTO _meta VALUES ('secret', randomblob(32))"
  /// Chooses a secret that is kept nowhere.
  static let randomSecret = "SELECT randomblob(32)"

  /// Makes the tables of our own in a new file.
  static func makeTables(applicationID: Int64, format: Int64) -> String {
    """
    BEGIN;
    CREATE TABLE _meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE _classes (
      name TEXT PRIMARY KEY, table_name TEXT NOT NULL, next_key INTEGER NOT NULL, objects INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE _properties (
      class TEXT NOT NULL, property TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY (class, property)
    ) WITHOUT ROWID;
    CREATE TABLE _commits (version INTEGER PRIMARY KEY, time TEXT NOT NULL, size INTEGER NOT NULL);
    CREATE TABLE _changes (
      version INTEGER NOT NULL, ordinal INTEGER NOT NULL, class TEXT NOT NULL,
      object_key INTEGER NOT NULL, id, operation INTEGER NOT NULL, before BLOB, after BLOB,
      elements BLOB,
      PRIMARY KEY (version, ordinal)
    ) WITHOUT ROWID;
    CREATE TABLE _mixed_links (
      target TEXT NOT NULL, target_key INTEGER NOT NULL,
      owner TEXT NOT NULL, owner_key INTEGER NOT NULL, property TEXT NOT NULL
    );
    CREATE INDEX "_mixed_links#target" ON _mixed_links (target, target_key);
    CREATE INDEX "_mixed_links#owner" ON _mixed_links (owner, owner_key, property);
    CREATE TABLE _receipts (
      key TEXT PRIMARY KEY, fingerprint INTEGER NOT NULL, time TEXT NOT NULL, answer BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX "_receipts#time" ON _receipts (time);
    \(makeRecords)
    INSERT INTO _meta VALUES ('schema', '[]'), ('generation', 0), ('log_floor', 0);
    \(makeSecret);
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(format);
    COMMIT;
    """
  }
}

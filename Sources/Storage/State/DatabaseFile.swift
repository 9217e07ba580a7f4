import GatehouseBSON
import GatehouseModel
import GatehouseSQLite

/// The database file: how connections to it are set up, and the tables of our own.
enum DatabaseFile {
  /// "GATE", which makes the file recognisable (`file(1)`, <https://sqlite.org/pragma.html#pragma_application_id>).
  static let applicationID: Int64 = 0x4741_5445
  /// Goes up when a program of today could not read the file of tomorrow.
  static let format: Int64 = 1

  /// The size of a connection's page cache as SQLite takes it: negative, in KiB.
  static let cacheSize = -16384

  /// The one connection that writes. Creates the tables of our own in a new file.
  static func openWriter(_ path: String) throws(StorageError) -> Connection {
    PrivateFiles.create(path)
    do throws(DatabaseError) {
      let connection = try Connection(path: path, mode: .readWrite)
      try connection.execute(
        """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA foreign_keys = OFF;
        PRAGMA temp_store = MEMORY;
        PRAGMA secure_delete = FAST;
        PRAGMA cache_size = \(cacheSize);
        """)
      connection.observeWriteAheadLog()
      connection.obeyLimits()
      try SQLFunctions.register(on: connection)
      return connection
    } catch {
      throw StorageError(error)
    }
  }

  /// A connection that reads.
  ///
  /// It does not map the file: a mapping is given up at every commit of another connection, and counts as memory
  /// of the process with all pages ever looked at.
  static func openReader(
    _ path: String, mode: Connection.Mode = .readOnly
  ) throws(StorageError) -> Connection {
    do throws(DatabaseError) {
      let connection = try Connection(path: path, mode: mode)
      try connection.execute(
        "PRAGMA cache_size = -16384; PRAGMA mmap_size = 0; PRAGMA query_only = 1;")
      try SQLFunctions.register(on: connection)
      return connection
    } catch {
      throw StorageError(error)
    }
  }

  /// Makes sure that the file is ours and of a format that we know; a new file becomes one.
  static func prepare(_ connection: Connection, path: String) throws(StorageError) {
    let session = ReadSession(connection, catalog: Catalog(generation: 0, tables: []))
    let format = try session.integer(try session.prepare("PRAGMA user_version")) ?? 0
    let application = try session.integer(try session.prepare("PRAGMA application_id")) ?? 0
    let tables = try session.integer(try session.prepare("SELECT count(*) FROM sqlite_schema")) ?? 0
    if tables == 0 && application == 0 {
      try create(connection)
    } else if application != applicationID || format != Self.format {
      throw .unknownFormat(path)
    } else {
      do { try connection.execute(RecordTable.definition) } catch { throw StorageError(error) }
    }
    // Lists that are there already get their blocks when they next grow.
    do { try connection.execute(ListBlocks.table) } catch { throw StorageError(error) }
  }

  /// Makes sure that a file that is only read is ours and of today's format.
  static func examine(_ connection: Connection, path: String) throws(StorageError) {
    let session = ReadSession(connection, catalog: Catalog(generation: 0, tables: []))
    guard try session.integer(try session.prepare("PRAGMA application_id")) == applicationID,
      try session.integer(try session.prepare("PRAGMA user_version")) == format
    else { throw .unknownFormat(path) }
  }

  private static func create(_ connection: Connection) throws(StorageError) {
    do throws(DatabaseError) {
      try connection.execute(
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
        \(RecordTable.definition)
        INSERT INTO _meta VALUES ('schema', '[]'), ('generation', 0), ('log_floor', 0);
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(format);
        COMMIT;
        """)
    } catch {
      throw StorageError(error)
    }
  }
}

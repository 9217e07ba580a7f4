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

  /// The most pages of a scratch file: a gibibyte.
  private static let largestScratch = 1 << 18

  /// How long an opening waits for the last connection of a store that is being closed, in milliseconds.
  private static let patience: Int32 = 2000

  /// The one connection that writes. Creates the tables of our own in a new file.
  static func openWriter(_ path: String, isAlone: Bool = false) throws(StorageError) -> Connection {
    PrivateFiles.create(path)
    do throws(DatabaseError) {
      let connection = try Connection(path: path, mode: .readWrite, isAlone: isAlone)
      connection.waitForLocks(milliseconds: patience)
      try connection.execute(FileStatements.configureWriter(cacheSize: cacheSize))
      connection.observeWriteAheadLog()
      connection.obeyLimits()
      try SQLFunctions.register(on: connection)
      return connection
    } catch {
      throw StorageError(error)
    }
  }

  /// A connection that fills a new file, which is thrown away where anything fails.
  static func openScratch(_ path: String, isAlone: Bool) throws(StorageError) -> Connection {
    PrivateFiles.create(path)
    do throws(DatabaseError) {
      let connection = try Connection(path: path, mode: .readWrite, isAlone: isAlone)
      try connection.execute(FileStatements.configureScratch(cacheSize: cacheSize, pages: largestScratch))
      try SQLFunctions.register(on: connection)
      try connection.execute(FileStatements.makeTables(applicationID: applicationID, format: format))
      try connection.execute(FileStatements.makeListBlocks)
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
    _ path: String, mode: Connection.Mode = .readOnly, isAlone: Bool = false
  ) throws(StorageError) -> Connection {
    do throws(DatabaseError) {
      let connection = try Connection(path: path, mode: mode, isAlone: isAlone)
      connection.waitForLocks(milliseconds: patience)
      try connection.execute(FileStatements.configureReader(cacheSize: cacheSize))
      try SQLFunctions.register(on: connection)
      return connection
    } catch {
      throw StorageError(error)
    }
  }

  /// Makes sure that the file is ours and of a format that we know; a new file becomes one.
  static func prepare(_ connection: Connection, path: String) throws(StorageError) {
    let session = ReadSession(connection, catalog: Catalog(generation: 0, tables: []))
    let format = try session.integer(try session.prepare(FileStatements.format)) ?? 0
    let application = try session.integer(try session.prepare(FileStatements.applicationID)) ?? 0
    let tables = try session.integer(try session.prepare(FileStatements.tableCount)) ?? 0
    if tables == 0 && application == 0 {
      try create(connection)
    } else if application != applicationID || format != Self.format {
      throw .unknownFormat(path)
    } else {
      do { try connection.execute(FileStatements.makeRecords) } catch { throw StorageError(error) }
    }
    // Lists that are there already get their blocks when they next grow.
    do { try connection.execute(FileStatements.makeListBlocks) } catch { throw StorageError(error) }
  }

  /// Returns the store's secret; one is chosen where the file has none.
  ///
  /// - Parameter mustBeKept: Whether a secret that cannot be written is an error: members of a cluster change the same rows. Otherwise it
  ///   is this process' own.
  static func secret(_ connection: Connection, mustBeKept: Bool) throws(StorageError) -> [UInt8] {
    do throws(DatabaseError) {
      if let secret = try blob(of: FileStatements.secret, on: connection) { return secret }
      do throws(DatabaseError) { try connection.execute(FileStatements.makeSecret) } catch {
        guard !mustBeKept, let secret = try blob(of: FileStatements.randomSecret, on: connection) else {
          throw error
        }
        return secret
      }
      if let secret = try blob(of: FileStatements.secret, on: connection) { return secret }
    } catch {
      throw StorageError(error)
    }
    throw .corrupt("secret")
  }

  private static func blob(of sql: String, on connection: Connection) throws(DatabaseError) -> [UInt8]? {
    let statement = try connection.prepare(sql)
    return try statement.step() ? [UInt8](statement.blob(at: 0)) : nil
  }

  /// Makes sure that a file that is only read is ours and of today's format.
  static func examine(_ connection: Connection, path: String) throws(StorageError) {
    let session = ReadSession(connection, catalog: Catalog(generation: 0, tables: []))
    guard try session.integer(try session.prepare(FileStatements.applicationID)) == applicationID,
      try session.integer(try session.prepare(FileStatements.format)) == format
    else { throw .unknownFormat(path) }
  }

  private static func create(_ connection: Connection) throws(StorageError) {
    do throws(DatabaseError) {
      try connection.execute(
        FileStatements.makeTables(applicationID: applicationID, format: Self.format))
    } catch {
      throw StorageError(error)
    }
  }
}

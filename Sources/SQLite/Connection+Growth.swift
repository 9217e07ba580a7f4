internal import CGatehouseSQLite

extension Connection {
  /// Makes the database file at least so many bytes long, each with its place on the disk, so that a checkpoint finds them.
  ///
  /// Nobody may make a checkpoint meanwhile: SQLite writes one byte of each new block
  /// (<https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlsizehint>).
  public func growFile(to size: Int) throws(DatabaseError) {
    // A hint is taken only where the file grows by chunks, and always growing by them would leave holes.
    control(SQLITE_FCNTL_CHUNK_SIZE, Int32(4096))
    defer { control(SQLITE_FCNTL_CHUNK_SIZE, Int32(0)) }
    let code = control(SQLITE_FCNTL_SIZE_HINT, Int64(size))
    guard code == SQLITE_OK else {
      throw DatabaseError(code: code, message: String(cString: sqlite3_errstr(code)))
    }
  }

  @discardableResult
  private func control<Value: FixedWidthInteger>(_ code: Int32, _ value: Value) -> Int32 {
    var value = value
    return sqlite3_file_control(handle, "main", code, &value)
  }
}

public import CGatehouseSQLite

/// The arguments of a call that SQL makes of a function of ours. Valid during the call only.
public struct Arguments {
  @usableFromInline let values: UnsafeBufferPointer<OpaquePointer?>

  @inlinable public var count: Int { values.count }

  @inlinable
  public func storageClass(at index: Int) -> Statement.StorageClass {
    Statement.StorageClass(rawValue: sqlite3_value_type(values[index])) ?? .null
  }

  @inlinable
  public func int64(at index: Int) -> Int64 {
    sqlite3_value_int64(values[index])
  }

  @inlinable
  public func double(at index: Int) -> Double {
    sqlite3_value_double(values[index])
  }

  /// UTF-8; empty for NULL.
  @inlinable
  public func text(at index: Int) -> UnsafeBufferPointer<UInt8> {
    let base = sqlite3_value_text(values[index])
    return UnsafeBufferPointer(start: base, count: Int(sqlite3_value_bytes(values[index])))
  }

  @inlinable
  public func blob(at index: Int) -> UnsafeBufferPointer<UInt8> {
    let base = sqlite3_value_blob(values[index])
    let count = Int(sqlite3_value_bytes(values[index]))
    return UnsafeBufferPointer(
      start: base?.assumingMemoryBound(to: UInt8.self), count: base == nil ? 0 : count)
  }
}

/// The place of a function's result; NULL unless it is set.
public struct Answer {
  @usableFromInline let context: OpaquePointer

  @inlinable public func null() { sqlite3_result_null(context) }

  @inlinable public func bool(_ value: Bool) { sqlite3_result_int(context, value ? 1 : 0) }

  @inlinable public func int64(_ value: Int64) { sqlite3_result_int64(context, value) }

  /// A NaN becomes NULL.
  @inlinable public func double(_ value: Double) { sqlite3_result_double(context, value) }

  @inlinable
  public func text(_ value: String) {
    var value = value
    value.withUTF8 { text($0) }
  }

  @inlinable
  public func text(_ utf8: UnsafeBufferPointer<UInt8>) {
    let base = utf8.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
    guard let base else {
      sqlite3_result_text64(context, "", 0, gatehouse_sqlite_static(), UInt8(SQLITE_UTF8))
      return
    }
    sqlite3_result_text64(
      context, base, UInt64(utf8.count), gatehouse_sqlite_transient(), UInt8(SQLITE_UTF8))
  }

  @inlinable
  public func blob(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes {
      sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), gatehouse_sqlite_transient())
    }
  }

  /// Stops the statement as an interruption does.
  public func interrupt() {
    sqlite3_result_error_code(context, SQLITE_INTERRUPT)
  }

  /// Stops the statement with that message.
  public func error(_ message: String) {
    sqlite3_result_error(context, message, -1)
  }
}

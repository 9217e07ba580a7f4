/// Reads the records of a transaction from bytes that come in parts, cut anywhere.
package struct RowDecoder {
  /// The tables named so far.
  package private(set) var tables: [NamedTable] = []
  /// The key of the row that was read last: of a table without a key of columns its rowid, once.
  package private(set) var key: [RowValue] = []
  /// The values of the row that was read last: all, or those that an update brings.
  package private(set) var values: [RowValue] = []
  /// The bits of the columns that the update that was read last brings.
  package private(set) var mask: [UInt8] = []

  package init() {}

  /// Reads the record at the position, and goes on behind it; nil: it is not complete, and has to be read once more with what
  /// comes next.
  package mutating func next(
    in bytes: UnsafeRawBufferPointer, at position: inout Int
  ) throws(EntryError) -> RowRecord? {
    guard position < bytes.count else { return nil }
    var end = position
    do throws(EntryError) {
      let record = try read(bytes, &end)
      position = end
      return record
    } catch {
      if error == .truncated { return nil }
      throw error
    }
  }

  private mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) -> RowRecord {
    let start = position
    position += 1
    switch bytes[start] {
    case RowRecord.Tag.table:
      tables.append(try readTable(bytes, &position))
      return .table(tables.count - 1)
    case RowRecord.Tag.insert:
      let number = try tableNumber(bytes, &position)
      key.removeAll(keepingCapacity: true)
      if tables[number].key.isEmpty { key.append(try rowid(bytes, &position)) }
      try readValues(count: tables[number].columnCount, bytes, &position)
      return .insert(number)
    case RowRecord.Tag.update:
      let number = try tableNumber(bytes, &position)
      try readKey(of: tables[number], bytes, &position)
      let count = try readMask(of: tables[number].columnCount, bytes, &position)
      try readValues(count: count, bytes, &position)
      return .update(number)
    case RowRecord.Tag.delete:
      let number = try tableNumber(bytes, &position)
      try readKey(of: tables[number], bytes, &position)
      return .delete(number)
    case RowRecord.Tag.statement:
      return .statement(try text(bytes, &position))
    case RowRecord.Tag.notice:
      let kind = try text(bytes, &position)
      guard let kind = String(validating: kind, as: UTF8.self) else { throw .malformed(offset: start) }
      return .notice(ReplicationNotice(kind, Array(try text(bytes, &position))))
    default:
      throw .malformed(offset: start)
    }
  }

  private func readTable(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) -> NamedTable {
    let start = position
    guard let name = String(validating: try text(bytes, &position), as: UTF8.self) else {
      throw .malformed(offset: start)
    }
    let columns = try number(bytes, &position, upTo: RowRecord.mostColumns)
    let count = try number(bytes, &position, upTo: columns)
    var key: [Int] = []
    for _ in 0..<count { key.append(try number(bytes, &position, upTo: columns - 1)) }
    guard columns > 0 else { throw .malformed(offset: start) }
    return NamedTable(name: name, columnCount: columns, key: key)
  }

  private func tableNumber(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) -> Int {
    let number = try number(bytes, &position, upTo: .max)
    guard number < tables.count else { throw .unknownTable(number) }
    return number
  }

  private mutating func readKey(
    of table: NamedTable, _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) {
    key.removeAll(keepingCapacity: true)
    if table.key.isEmpty {
      key.append(try rowid(bytes, &position))
    } else {
      for _ in table.key { key.append(try value(bytes, &position)) }
    }
  }

  /// Returns the number of columns that the mask names; there is one at least, and none behind the last.
  private mutating func readMask(
    of columns: Int, _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) -> Int {
    let start = position
    let length = (columns + 7) / 8
    guard bytes.count - position >= length else { throw .truncated }
    position += length
    mask.removeAll(keepingCapacity: true)
    mask += bytes[start..<position]
    let count = mask.reduce(0) { $0 + $1.nonzeroBitCount }
    let spare = length * 8 - columns
    guard count > 0, mask[length - 1].leadingZeroBitCount >= spare else { throw .malformed(offset: start) }
    return count
  }

  private mutating func readValues(
    count: Int, _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) {
    values.removeAll(keepingCapacity: true)
    for _ in 0..<count { values.append(try value(bytes, &position)) }
  }

  private func rowid(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) -> RowValue {
    .integer(Int64(zigzag: try varint(bytes, &position)))
  }

  private func value(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) -> RowValue {
    let start = position
    guard start < bytes.count else { throw .truncated }
    position += 1
    switch bytes[start] {
    case RowValue.Tag.null: return .null
    case RowValue.Tag.integer: return .integer(Int64(zigzag: try varint(bytes, &position)))
    case RowValue.Tag.real:
      guard bytes.count - position >= 8 else { throw .truncated }
      defer { position += 8 }
      let bits = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      return .real(Double(bitPattern: UInt64(littleEndian: bits)))
    case RowValue.Tag.text: return .text(try text(bytes, &position))
    case RowValue.Tag.blob: return .blob(try text(bytes, &position))
    default: throw .malformed(offset: start)
    }
  }

  /// Returns bytes that follow their number.
  private func text(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) -> UnsafeRawBufferPointer {
    let length = try number(bytes, &position, upTo: RowRecord.mostBytes)
    guard bytes.count - position >= length else { throw .truncated }
    defer { position += length }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
  }

  private func number(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int, upTo largest: Int
  ) throws(EntryError) -> Int {
    let start = position
    let value = try varint(bytes, &position)
    guard largest >= 0, value <= UInt64(largest) else { throw .malformed(offset: start) }
    return Int(value)
  }

  private func varint(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int
  ) throws(EntryError) -> UInt64 {
    let start = position
    switch ByteReader(bytes).varint(at: &position) {
    case .value(let value): return value
    case .incomplete: throw .truncated
    case .malformed: throw .malformed(offset: start)
    }
  }
}

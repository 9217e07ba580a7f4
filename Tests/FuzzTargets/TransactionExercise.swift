import GatehouseStorage

/// The invariants of any bytes that are taken for a part of a transaction.
enum TransactionExercise {
  /// Records are the same however the bytes come, and are refused at the same place.
  static func read(_ bytes: [UInt8], pieces size: Int) {
    guard let part = try? TransactionPart(bytes) else { return }
    precondition(part.bytes == bytes && part.version >= part.base)
    let records = Array(bytes[part.recordsStart...])
    precondition(texts(of: records, pieces: records.count + 1) == texts(of: records, pieces: size))
  }

  private static func texts(of bytes: [UInt8], pieces size: Int) -> [String] {
    var decoder = RowDecoder()
    var texts: [String] = []
    var (start, end) = (0, 0)
    while end < bytes.count {
      end = min(bytes.count, end + size)
      let piece = Array(bytes[start..<end])
      let isMalformed = piece.withUnsafeBytes { piece in
        var position = 0
        defer { start += position }
        do throws(EntryError) {
          while true {
            let before = position
            guard let record = try decoder.next(in: piece, at: &position) else { return false }
            precondition(position > before && position <= piece.count)
            texts.append(text(of: record, decoder))
          }
        } catch {
          return true
        }
      }
      if isMalformed { return texts + ["malformed"] }
    }
    return texts + ["\(bytes.count - start) bytes are left"]
  }

  private static func text(of record: RowRecord, _ decoder: RowDecoder) -> String {
    switch record {
    case .table(let number):
      let table = decoder.tables[number]
      precondition(table.columnCount > 0 && table.key.allSatisfy { $0 < table.columnCount })
      return "\(table.name) \(table.columnCount) \(table.key)"
    case .insert(let number):
      precondition(decoder.values.count == decoder.tables[number].columnCount)
      return "insert \(number)\(text(of: decoder.key))\(text(of: decoder.values))"
    case .update(let number):
      precondition(!decoder.values.isEmpty && decoder.key.count == max(1, decoder.tables[number].key.count))
      return "update \(number)\(text(of: decoder.key)) \(decoder.mask)\(text(of: decoder.values))"
    case .delete(let number): return "delete \(number)\(text(of: decoder.key))"
    case .statement(let bytes): return "statement \(Array(bytes))"
    case .notice(let notice): return "notice \(notice.kind) \(notice.content)"
    }
  }

  private static func text(of values: [RowValue]) -> String {
    values.reduce(into: "") { text, value in
      switch value {
      case .null: text += " null"
      case .integer(let value): text += " \(value)"
      case .real(let value): text += " \(value.bitPattern)"
      case .text(let bytes), .blob(let bytes): text += " \(Array(bytes))"
      }
    }
  }
}

import GatehouseBSON
import GatehouseModel
import GatehouseSeeded
import GatehouseStoredFiles
import Testing

@testable import GatehouseStorage

/// The bytes of transactions: each is read, or refused with an error that says why.
@Suite struct TransactionPartTests {
  /// Returns the parts of a store's transactions.
  private func parts() async throws -> [TransactionPart] {
    let log = RecordingLog()
    var options = StoreOptions()
    options.log = log
    let store = try await TemporaryStore(ReplicationTests.schema, options: options)
    let text = String(repeating: "é", count: 90)
    try await store.create(
      "A", #"{"id":1,"text":"\#(text)","data":"AAEC","list":[3,-4],"set":[1,"a",2.5],"x":{"a":null}}"#)
    try await store.perform(store.patch("A", .int(1), #"{"text":null,"list":[4],"to":1}"#))
    var transaction = Transaction([.delete(objectType: "A", id: .int(1), precondition: .none)])
    transaction.notice = ReplicationNotice("kind", [1, 2, 3])
    _ = try await store.store.perform(transaction)
    return log.entries.map(\.part)
  }

  /// Returns the records as text, in whatever pieces the bytes come; throws where they cannot be read.
  private func records(_ bytes: [UInt8], piece: Int = .max) throws(EntryError) -> [String] {
    let part = try TransactionPart(bytes)
    let all = Array(part.bytes[part.recordsStart...])
    var decoder = RowDecoder()
    var texts: [String] = []
    var (start, end) = (0, 0)
    repeat {
      end = min(all.count, end + min(piece, all.count))
      let bytes = Array(all[start..<end])
      start += try bytes.withUnsafeBufferPointer { bytes throws(EntryError) in
        var position = 0
        while let record = try decoder.next(in: UnsafeRawBufferPointer(bytes), at: &position) {
          texts.append(Self.text(record, decoder))
        }
        return position
      }
    } while end < all.count
    guard start == all.count else { throw .truncated }
    return texts
  }

  private static func text(_ record: RowRecord, _ decoder: RowDecoder) -> String {
    func text(_ values: [RowValue]) -> String {
      values.map { value in
        switch value {
        case .null: "null"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
        case .blob(let bytes): "x\(Array(bytes))"
        }
      }.joined(separator: ",")
    }
    return switch record {
    case .table(let number):
      "\(decoder.tables[number].name) \(decoder.tables[number].columnCount) \(decoder.tables[number].key)"
    case .insert(let number): "+\(number) \(text(decoder.key)) \(text(decoder.values))"
    case .update(let number): "~\(number) \(text(decoder.key)) \(decoder.mask) \(text(decoder.values))"
    case .delete(let number): "-\(number) \(text(decoder.key))"
    case .statement(let bytes): String(decoding: bytes, as: UTF8.self)
    case .notice(let notice): "\(notice.kind) \(notice.content)"
    }
  }

  @Test func `a transaction is the rows that it changes, by table`() async throws {
    let parts = try await parts()
    #expect(parts.map(\.base) == [0, 1, 2, 3] && parts.map(\.version) == [1, 2, 3, 4])
    let last = try records(parts[3].bytes)
    #expect(last.contains("kind [1, 2, 3]"))
    #expect(last.contains("A 7 [0]") && last.contains("A.list 3 [0, 1]") && last.contains("A.set 2 []"))
    #expect(last.contains { $0.hasPrefix("-") && $0.hasSuffix(" 0") })
    let update = try records(parts[2].bytes)
    // The text goes, and the link and the version come, in columns 3, 6 and 1.
    #expect(update.first == "A 7 [0]")
    #expect(Set(update).isSuperset(of: ["~0 0 [8] null", "~0 0 [64] 0", "~0 0 [2] 3"]), "\(update)")
    #expect(try records(parts[0].bytes).contains { $0.hasPrefix("CREATE TABLE \"A\"") })
  }

  @Test func `bytes may be cut anywhere`() async throws {
    for part in try await parts() {
      let whole = try records(part.bytes)
      for piece in [1, 2, 3, 7, 64, 1000] { #expect(try records(part.bytes, piece: piece) == whole) }
      #expect(try TransactionPart(part.bytes) == part)
    }
  }

  @Test func `every truncation is an error`() async throws {
    for part in try await parts() {
      for count in part.bytes.indices {
        // The end of a record is where a transaction may end, too, for all that its bytes say.
        guard (try? records(Array(part.bytes[..<count]))) != nil else { continue }
        #expect(count >= part.recordsStart)
      }
    }
    #expect(throws: EntryError.truncated) { try TransactionPart([]) }
    #expect(throws: EntryError.unknownFormat(2)) { try TransactionPart([2, 3, 0, 0, 0]) }
    #expect(throws: EntryError.malformed(offset: 2)) { try TransactionPart([1, 3, 1, 0, 0]) }
    #expect(throws: EntryError.malformed(offset: 4)) { try TransactionPart([1, 3, 0, 2, 1]) }
    #expect(throws: EntryError.malformed(offset: 2)) { try TransactionPart([1, 3, 0x80, 0, 0, 0]) }
    #expect(throws: EntryError.malformed(offset: 0)) { try records([1, 3, 0, 0, 0, 9]) }
    #expect(throws: EntryError.unknownTable(3)) { try records([1, 3, 0, 0, 0, 4, 3]) }
    #expect(throws: EntryError.truncated) { try records([1, 3, 0, 0, 0, 5, 2, 0x41]) }
  }

  @Test func `bytes that are flipped are read or refused, by the applier too`() async throws {
    let log = RecordingLog()
    var options = StoreOptions()
    options.log = log
    let store = try await TemporaryStore(ReplicationTests.schema, options: options)
    let pristine = try Follower(of: store, log)
    var follower = try Follower(of: pristine.directory, log)
    try await store.create("A", #"{"id":1,"text":"t","data":"AAEC","list":[3,-4],"set":[1,"a"]}"#)
    try await store.perform(store.patch("A", .int(1), #"{"text":null,"list":[4]}"#))
    let before = try FileContent(follower.database)
    var random = SeededGenerator(seed: 1)
    var outcomes = (applied: 0, refused: 0)
    for _ in 0..<150 {
      var bytes = log.entries[1].part.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      guard let part = try? TransactionPart(bytes) else { continue }
      do throws(StorageError) {
        try await follower.store.apply(part, at: log.entries[1].point)
      } catch {
        outcomes.refused += 1
        #expect(try before.differences(to: FileContent(follower.database)) == [], "\(error)")
        try await follower.reopen()
        continue
      }
      outcomes.applied += 1
      follower = try Follower(of: pristine.directory, log)
    }
    #expect(outcomes.refused > 50)
  }
}

import GatehouseBSON
import GatehouseConformance
import GatehouseModel

/// The invariants of any bytes that are taken for many objects.
enum RecordExercise {
  private static let random = RandomAllTypes(seed: 1)

  /// Records are the same however the bytes come, follow each other, and are read or refused.
  static func scan(_ bytes: [UInt8], as format: SequenceFormat, pieces size: Int) {
    let records = extents(in: bytes, as: format, pieces: bytes.count + 1)
    precondition(records == extents(in: bytes, as: format, pieces: size))
    var end = 0
    for record in records {
      precondition(record.content.lowerBound >= end && record.next >= record.content.upperBound)
      precondition(record.next <= bytes.count)
      end = record.next
    }
    guard let objectType = random.schema["AllTypes"] else { return }
    var reader = RecordReader(format, of: objectType, in: random.schema)
    for record in records {
      guard let value = try? reader.value(of: bytes[record.content]) else { continue }
      _ = try? objectType.draft(from: value, in: random.schema, mode: .create)
    }
  }

  private static func extents(
    in bytes: [UInt8], as format: SequenceFormat, pieces size: Int
  ) -> [RecordScanner.Extent] {
    var scanner = RecordScanner(format)
    var extents: [RecordScanner.Extent] = []
    var (start, end) = (0, 0)
    while true {
      let isWhole = end == bytes.count
      do throws(JSONError) {
        while let extent = try scanner.next(in: bytes[start..<end], isWhole: isWhole) {
          precondition(extent.next > start)
          extents.append(extent)
          start = extent.next
        }
      } catch {
        precondition(start + error.offset <= bytes.count)
        return extents
      }
      if isWhole { return extents }
      end = min(bytes.count, end + size)
    }
  }
}

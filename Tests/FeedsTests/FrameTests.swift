import GatehouseBSON
import GatehouseModel
import Testing

@testable import GatehouseFeeds
@testable import GatehouseStorage

@Suite struct FrameTests {
  @Test func `a frame is added to those that are there without moving them`() {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1 << 20)
    var places: Set<UInt> = []
    let change = LoggedChange(
      position: LogPosition(version: 7, ordinal: 1), time: Date(seconds: 0), objectType: "A",
      key: ObjectKey(1), id: .int(1), operation: .update, before: nil, after: nil, elements: [])
    for part in 0..<1_000 {
      let stamp = EventStamp(change, part: part)
      let subject = EventSubject(identity: Identity(objectType: "A", id: .int(Int64(part))))
      Frame.append(.update, at: stamp, of: subject, to: &bytes) { json in
        json.key("object")
        json.null()
      }
      places.insert(bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
    }
    #expect(places.count == 1)
    let frame = """
      id: 7-1-3
      event: update
      data: {"class":"A","id":3,"version":7,"time":"1970-01-01T00:00:00Z","object":null}


      """
    #expect(String(decoding: bytes, as: UTF8.self).contains("\n\n" + frame + "id: 7-1-4\n"))
  }
}

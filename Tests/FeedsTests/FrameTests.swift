import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseFeeds

@Suite struct FrameTests {
  @Test func `a frame is added to those that are there without moving them`() {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1 << 20)
    var places: Set<UInt> = []
    for part in 0..<1_000 {
      let position = EventPosition(LogPosition(version: 7, ordinal: 1), part: part)
      Frame.append("update", position, of: Identity(objectType: "A", id: .int(Int64(part))), to: &bytes) {
        json in
        json.key("object")
        json.null()
      }
      places.insert(bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
    }
    #expect(places.count == 1)
    let frame = """
      id: 7-1-3
      event: update
      data: {"class":"A","id":3,"version":7,"object":null}


      """
    #expect(String(decoding: bytes, as: UTF8.self).contains("\n\n" + frame + "id: 7-1-4\n"))
  }
}

import Foundation
import RealmSwift
import Testing

@Suite struct ObjectIdTests {
  @Test func `a text is read and written`() throws {
    let id = try ObjectId(string: "507F1f77bcf86cd799439011")
    #expect(id.stringValue == "507f1f77bcf86cd799439011")
    #expect("\(id)" == "507f1f77bcf86cd799439011")
    #expect(id == ObjectId("507f1f77bcf86cd799439011"))
    #expect(ObjectId().stringValue == "000000000000000000000000")
  }

  @Test(arguments: ["", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g"])
  func `another text is refused`(text: String) {
    let error = #expect(throws: ValueError.self) { try ObjectId(string: text) }
    #expect(error?.description == "Invalid Object ID string '\(text)': must be 24 hex digits")
  }

  @Test func `its parts are a time, a machine, a process and a counter`() {
    let id = ObjectId(
      timestamp: Date(timeIntervalSince1970: 1_350_508_407), machineId: 0x33_22_11, processId: 0x55_44)
    #expect(id.timestamp == Date(timeIntervalSince1970: 1_350_508_407))
    #expect(id.stringValue.hasPrefix("507f1f77" + "112233" + "4455"))
    #expect(id != ObjectId(timestamp: id.timestamp, machineId: 0x33_22_11, processId: 0x55_44))
  }

  @Test func `generated ones differ and have the time`() {
    let ids = (0..<1000).map { _ in ObjectId.generate() }
    #expect(Set(ids).count == 1000)
    #expect(abs(ids[0].timestamp.timeIntervalSinceNow) < 60)
  }

  @Test func `they have the order of their bytes`() {
    let (less, more) = (ObjectId("507f1f77bcf86cd799439011"), ObjectId("507f1f77bcf86cd799439012"))
    #expect(less < more && less <= more && more > less && more >= less && less <= less && less >= less)
    #expect(!(less > more) && !(less >= more))
  }

  @Test func `they travel as texts`() throws {
    let ids = [ObjectId("507f1f77bcf86cd799439011")]
    let json = try JSONEncoder().encode(ids)
    #expect(String(decoding: json, as: UTF8.self) == #"["507f1f77bcf86cd799439011"]"#)
    #expect(try JSONDecoder().decode([ObjectId].self, from: json) == ids)
    #expect(throws: ValueError.invalidObjectId("a")) {
      try JSONDecoder().decode([ObjectId].self, from: Data(#"["a"]"#.utf8))
    }
  }
}

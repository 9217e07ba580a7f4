import RealmSwift
import Testing

struct AverageTests {
  // The sum went around.
  @Test func `an average is one though the sum is no integer`() {
    let list = List<Int>()
    list.append(objectsIn: [.max, .max])
    #expect(list.average() as Double? == 0x1p63)
  }
}

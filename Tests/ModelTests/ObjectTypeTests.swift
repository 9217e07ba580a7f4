import Model
import Testing

@Test func `a property is found by the name that clients use`() {
  let person = ObjectType(
    name: "Person",
    properties: [Property(name: "name", storedName: "n", type: .one(.string, optional: false))])
  #expect(person["name"]?.storedName == "n")
  #expect(person["n"] == nil)
}

import GatehouseModel
import Testing

@Test func `a property is found by the name that clients use`() {
  let person = ObjectType(
    name: "Person",
    properties: [Property(name: "name", storedName: "n", type: .one(.string, optional: false))])
  #expect(person["name"]?.storedName == "n")
  #expect(person["n"] == nil)
}

@Test func `a copy of a schema is that schema in memory of its own`() throws {
  let copy = AllTypesSchema.schema.unshared
  #expect(copy == AllTypesSchema.schema)
  #expect(copy.objectTypes == AllTypesSchema.schema.objectTypes)
  #expect(copy.notation == AllTypesSchema.schema.notation)
  for type in AllTypesSchema.schema.objectTypes {
    let other = try #require(copy[type.name])
    #expect(type.primaryKey == other.primaryKey && type.storedProperties == other.storedProperties)
    for (place, property) in type.properties.enumerated() { #expect(other.index(of: property.name) == place) }
  }
  #expect(copy != Schema(Array(AllTypesSchema.schema.objectTypes.dropLast())))
  #expect(Schema(AllTypesSchema.schema.objectTypes) == copy)
}

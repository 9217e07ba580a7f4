import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct IdentifierTests {
  private static func objectType(_ type: ElementType?) -> ObjectType {
    let properties = type.map { [Property(name: "_id", type: .one($0, optional: false))] } ?? []
    return ObjectType(name: "C", properties: properties, primaryKey: type == nil ? nil : "_id")
  }

  @Test(
    arguments: [
      (.int, "0", .int(0)), (.int, "-5", .int(-5)), (.int, "9223372036854775807", .int(.max)),
      (.int, "9223372036854775808", nil), (.int, "+5", nil), (.int, "05", nil), (.int, "-0", nil),
      (.int, "", nil), (.int, "5.0", nil), (.int, " 5", nil), (.int, "٥", nil),
      (.string, "", .string("")), (.string, "JP", .string("JP")), (.string, "a/b ü", .string("a/b ü")),
      (.objectID, "507f1f77bcf86cd799439011", .objectID(AllTypesSchema.objectID)), (.objectID, "507f", nil),
      (.uuid, "12345678-9abc-def0-1122-334455667788", .uuid(AllTypesSchema.uuid)), (.uuid, "x", nil),
      (nil, "0", .int(0)), (nil, "12", .int(12)), (nil, "-1", nil), (nil, "x", nil),
    ] as [(ElementType?, String, Mixed?)])
  func `a URL names one object in one way`(type: ElementType?, text: String, id: Mixed?) throws {
    let objectType = Self.objectType(type)
    guard let id else {
      let problem = ValidationProblem(pointer: "", .malformed(type ?? .int))
      #expect(throws: ValidationError([problem])) { try objectType.identifier(fromText: text) }
      return
    }
    #expect(try objectType.identifier(fromText: text) == id)
  }
}

import GatehouseBSON
import GatehouseModel
import Testing

@Suite struct RandomInputTests {
  @Test func `whatever fits is read, in any spelling and order`() throws {
    var input = RandomInput(seed: 1)
    for _ in 0..<1500 {
      let types = (0..<input.int(1...6)).map { _ in input.type() }
      let objectType = ObjectType(
        name: "C", properties: types.enumerated().map { Property(name: "p\($0.offset)", type: $0.element) })
      let values = types.map { input.value($0) }
      var elements = values.enumerated().map {
        Document.Element(key: "p\($0.offset)", value: $0.element.0)
      }
      if input.bool() { elements.shuffle(using: &input.generator) }
      let assignments = values.enumerated().map {
        ObjectDraft.Assignment(property: $0.offset, value: $0.element.1)
      }
      #expect(
        try objectType.draft(from: .document(Document(elements)), in: AllTypesSchema.schema, mode: .create)
          == ObjectDraft(assignments: assignments))
    }
  }

  @Test func `whatever does not fit is refused where it is`() throws {
    var input = RandomInput(seed: 2)
    var refused = 0
    for _ in 0..<3000 {
      let (type, other) = (input.type(), input.type())
      let value = input.value(other).0
      do {
        _ = try AllTypesSchema.objectType(type).draft(
          from: ["p": value], in: AllTypesSchema.schema, mode: .create)
      } catch {
        refused += 1
        #expect((1...ValidationError.mostProblems).contains(error.problems.count))
        for problem in error.problems {
          #expect(leads(problem.pointer, into: ["p": value], for: problem.rule))
        }
        #expect(type != other)
      }
    }
    #expect(refused > 1000)
  }

  /// Whether the pointer leads to a value, or, for a missing one, to what should have it.
  private func leads(_ pointer: String, into root: Value, for rule: ValidationRule) -> Bool {
    var members = pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    if rule == .missing { members.removeLast() }
    var value: Value? = root
    for member in members {
      let spelt = member.split(separator: "~1", omittingEmptySubsequences: false)
        .map { $0.split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~") }
        .joined(separator: "/")
      switch value {
      case .document(let document): value = document[spelt]
      case .array(let values): value = Int(spelt).flatMap { values.indices.contains($0) ? values[$0] : nil }
      default: return false
      }
    }
    return value != nil
  }

  @Test func `a schema that is read comes back, whatever its types`() throws {
    var input = RandomInput(seed: 3)
    for _ in 0..<500 {
      let properties = (0..<input.int(0...6)).map { index in
        let type = input.type()
        let isDefaultable = type.stored.map { !$0.element.isObject } ?? false
        let (value, _) = input.value(type)
        return Property(
          name: "p\(index)", storedName: input.bool() ? "q\(index)" : nil, type: type,
          defaultValue: isDefaultable && value != .null && input.bool() ? value : nil)
      }
      let schema = Schema(
        AllTypesSchema.schema.objectTypes + [
          ObjectType(name: "C", properties: properties),
          ObjectType(name: "E", kind: .embedded, properties: []),
        ])
      #expect(try Schema(notation: schema.notation) == schema)
    }
  }
}

import GatehouseBSON
import GatehouseModel
import GatehouseSeeded

/// Random property types, and values in one of the spellings that a client may choose.
struct RandomInput {
  var generator: SeededGenerator
  private static let scalars: [ElementType] = [
    .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid,
  ]

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
  mutating func bool() -> Bool { Bool.random(using: &generator) }

  mutating func type() -> PropertyType {
    let container = [PropertyType.Container.one, .list, .set, .map][int(0...3)]
    switch int(0...12) {
    case 10: return PropertyType(container, of: .mixed, optional: true)
    case 11:
      return PropertyType(container, of: .object("Person"), optional: [.one, .map].contains(container))
    case 12 where container != .set:
      return PropertyType(container, of: .object("Point"), optional: [.one, .map].contains(container))
    case let index: return PropertyType(container, of: Self.scalars[index % 10], optional: bool())
    }
  }

  /// A value as a client spells it, and what is to be made of it.
  mutating func value(_ type: PropertyType) -> (Value, DraftValue) {
    guard let (container, element, optional) = type.stored else { return (.null, .value(.null)) }
    switch container {
    case .one: return self.element(element, optional: optional)
    case .list, .set:
      let pairs = (0..<int(0...4)).map { _ in
        self.element(element, optional: optional, isInSet: container == .set)
      }
      return (.array(pairs.map(\.0)), .list(pairs.map(\.1)))
    case .map:
      let pairs = keys().map { ($0, self.element(element, optional: optional)) }
      return map(pairs)
    }
  }

  private mutating func keys() -> [String] {
    Array(["", "b", "a/b", "~", "é", "e\u{301}", "Z", "a$"].shuffled(using: &generator).prefix(int(0...4)))
  }

  private func map(_ pairs: [(String, (Value, DraftValue))]) -> (Value, DraftValue) {
    let sorted = pairs.sorted { Array($0.0.utf8).lexicographicallyPrecedes(Array($1.0.utf8)) }
    return (
      .document(Document(pairs.map { .init(key: $0.0, value: $0.1.0) })),
      .map(sorted.map { .init(key: $0.0, value: $0.1.1) })
    )
  }

  private mutating func element(
    _ type: ElementType, optional: Bool, isInSet: Bool = false
  ) -> (Value, DraftValue) {
    if optional && int(0...4) == 0 { return (.null, .value(.null)) }
    switch type {
    case .mixed: return mixed(depth: isInSet ? 0 : 3)
    case .object("Person"):
      let id = "p\(int(0...9))"
      let reference: Value = ["$ref": .string("Person"), "$id": .string(id)]
      return (bool() ? .string(id) : reference, .link(objectType: "Person", primaryKey: .string(id)))
    case .object: return point()
    default:
      let (value, mixed) = scalar(type)
      return (value, .value(mixed))
    }
  }

  private mutating func point() -> (Value, DraftValue) {
    let (x, y) = (Double(int(0...9)), Double(int(0...9)))
    var members: [(String, Value)] = [("x", .double(x)), ("y", .double(y)), ("label", .null)]
    members.shuffle(using: &generator)
    return (
      .document(Document(members.map { .init(key: $0.0, value: $0.1) })),
      .embedded(
        ObjectDraft(assignments: [
          .init(property: 0, value: .value(.double(x))), .init(property: 1, value: .value(.double(y))),
          .init(property: 2, value: .value(.null)),
        ]))
    )
  }

  private mutating func mixed(depth: Int) -> (Value, DraftValue) {
    switch int(0...(depth > 0 ? 5 : 2)) {
    case 0: return (.null, .value(.null))
    case 1:
      return (
        ["$ref": .string("Note"), "$id": .int64(4)], .link(objectType: "Note", primaryKey: .int(4))
      )
    case 2: return (.int32(7), .value(.int(7)))
    case 3:
      let pairs = (0..<int(0...3)).map { _ in mixed(depth: depth - 1) }
      return (.array(pairs.map(\.0)), .list(pairs.map(\.1)))
    default: return map(keys().map { ($0, mixed(depth: depth - 1)) })
    }
  }

  private mutating func scalar(_ type: ElementType) -> (Value, Mixed) {
    let isPlain = bool()
    let small = Int32(int(-1000...1000))
    let large = Int64.random(in: .min ... .max, using: &generator)
    switch type {
    case .int: return isPlain ? (.int32(small), .int(Int64(small))) : (.int64(large), .int(large))
    case .double: return isPlain ? (.int32(small), .double(Double(small))) : (.double(0.1), .double(0.1))
    case .float: return isPlain ? (.int32(small), .float(Float(small))) : (.double(0.1), .float(0.1))
    case .decimal128:
      let decimal = Decimal128("\(small)") ?? .nan
      return (isPlain ? .int32(small) : .decimal128(decimal), .decimal128(decimal))
    case .string: return (.string("s\(small)"), .string("s\(small)"))
    case .data: return (isPlain ? .string("AQ==") : .binary(Binary(bytes: [1])), .data([1]))
    case .date:
      let date = Date(seconds: Int64(small), nanoseconds: 5)
      return (isPlain ? .string(date.description) : .date(date), .date(date))
    case .objectID:
      let id = ObjectID(high: UInt64(bitPattern: large), low: 3)
      return (isPlain ? .string(id.description) : .objectID(id), .objectID(id))
    case .uuid:
      let uuid = UUID(high: UInt64(bitPattern: large), low: 3)
      return (isPlain ? .string(uuid.description) : .uuid(uuid), .uuid(uuid))
    default: return (.bool(isPlain), .bool(isPlain))
    }
  }
}

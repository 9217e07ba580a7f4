/// All classes of a store.
public struct Schema: Hashable, Sendable {
  /// In the order in which the schema names them.
  public let objectTypes: [ObjectType]
  private let indexByName: [String: Int]

  /// Takes classes that are known to be valid together; ``init(validating:)`` finds out.
  public init(_ objectTypes: [ObjectType]) {
    self.objectTypes = objectTypes
    indexByName = Dictionary(
      objectTypes.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// The class of that name.
  public subscript(name: String) -> ObjectType? {
    indexByName[name].map { objectTypes[$0] }
  }
}

/// All classes of a store.
public struct Schema: Hashable, Sendable {
  /// One object that is shared: handing on a schema costs one count of references.
  private final class Content: Sendable {
    let objectTypes: [ObjectType]
    let places: NameIndex

    init(_ objectTypes: [ObjectType]) {
      self.objectTypes = objectTypes
      places = NameIndex(objectTypes.map(\.name))
    }
  }

  private let content: Content

  /// In the order in which the schema names them.
  public var objectTypes: [ObjectType] { content.objectTypes }

  /// Takes classes that are known to be valid together; ``init(validating:)`` finds out.
  public init(_ objectTypes: [ObjectType]) {
    content = Content(objectTypes)
  }

  /// The class of that name.
  public subscript(name: String) -> ObjectType? {
    content.places.place(of: name).map { content.objectTypes[$0] }
  }

  public static func == (left: Schema, right: Schema) -> Bool {
    left.content === right.content || left.objectTypes == right.objectTypes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(objectTypes)
  }
}

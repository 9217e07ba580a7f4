/// All classes of a store.
public struct Schema: Hashable, Sendable {
  /// One object that is shared: handing on a schema costs one count of references.
  private final class Content: Sendable {
    let objectTypes: [ObjectType]
    let places: NameIndex
    /// The same for copies, and for no other content.
    let identity: Identity

    init(_ objectTypes: [ObjectType], _ identity: Identity = Identity()) {
      self.objectTypes = objectTypes
      self.identity = identity
      places = NameIndex(objectTypes.map(\.name))
    }
  }

  private final class Identity: Sendable {}

  private let content: Content

  /// In the order in which the schema names them.
  public var objectTypes: [ObjectType] { content.objectTypes }

  /// Takes classes that are known to be valid together; ``init(validating:)`` finds out.
  public init(_ objectTypes: [ObjectType]) {
    content = Content(objectTypes)
  }

  private init(copy content: Content) {
    self.content = Content(content.objectTypes.map(\.unshared), content.identity)
  }

  /// The same classes in memory of their own: a thread that hands those on counts no references together with others.
  public var unshared: Schema { Schema(copy: content) }

  /// The class of that name.
  public subscript(name: String) -> ObjectType? {
    content.places.place(of: name).map { content.objectTypes[$0] }
  }

  public static func == (left: Schema, right: Schema) -> Bool {
    left.content.identity === right.content.identity || left.objectTypes == right.objectTypes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(objectTypes)
  }
}

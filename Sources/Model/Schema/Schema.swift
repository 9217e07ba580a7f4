/// All classes of a store.
public struct Schema: Hashable, Sendable {
  /// One object that is shared: handing on a schema costs one count of references.
  private final class Content: Sendable {
    let objectTypes: [ObjectType]
    let places: NameIndex
    /// The same for copies, and for no other content.
    let identity: Identity
    /// The whole schema, of which this is what somebody may name; nil: this is it.
    let whole: Schema?
    let mask: Int
    let hasAsymmetric: Bool

    init(_ objectTypes: [ObjectType], _ identity: Identity = Identity(), of whole: Schema? = nil) {
      precondition(
        whole.map { $0.objectTypes.map(\.name) == objectTypes.map(\.name) } ?? true,
        "classes keep their places where some of what they have is hidden")
      self.objectTypes = objectTypes
      self.identity = identity
      self.whole = whole
      mask =
        whole == nil
        ? 0 : objectTypes.map { [AnyHashable($0.hidden), AnyHashable($0.hiddenFields)] }.hashValue
      hasAsymmetric = objectTypes.contains(where: \.isAsymmetric)
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
    self.content = Content(content.objectTypes.map(\.unshared), content.identity, of: content.whole)
  }

  /// Takes the classes of `whole`, of which some properties are hidden.
  init(_ objectTypes: [ObjectType], of whole: Schema) {
    content = Content(objectTypes, of: whole)
  }

  /// The schema with the properties that are hidden in this one.
  public var whole: Schema { content.whole ?? self }

  /// A number for tables of what was made with schemas: it is the same where the same properties are hidden.
  public var mask: Int { content.mask }

  /// Whether there are classes whose objects clients only create.
  public var hasAsymmetric: Bool { content.hasAsymmetric }

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

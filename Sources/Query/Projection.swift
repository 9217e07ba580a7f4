public import Model

/// Which properties of an object an answer shows, and which links it follows. Realm's `Projection`.
public struct Projection: Hashable, Sendable {
  /// One property of the answer.
  public struct Field: Hashable, Sendable {
    /// Stands for the implicit `_key` of a class without primary key.
    public static let key = -1

    /// Where in the class' properties the property is, or ``key``.
    public let property: Int
    /// For a link, an embedded object or linking objects: what to show of the target in place of its primary
    /// key; nil: the primary key (an embedded object: all of it).
    public let target: Projection?

    public init(property: Int, target: Projection?) {
      self.property = property
      self.target = target
    }
  }

  public let objectType: String
  /// In the order in which they are shown, each property once.
  public let fields: [Field]

  public init(objectType: String, fields: [Field]) {
    self.objectType = objectType
    self.fields = fields
  }
}

extension Projection {
  /// Every property that is stored, links as primary keys; first `_key`, where that is the identity.
  public static func all(of type: ObjectType) -> Projection {
    var fields: [Field] = []
    if type.primaryKey == nil && !type.isEmbedded { fields.append(Field(property: Field.key, target: nil)) }
    for (index, property) in type.properties.enumerated() {
      if case .linkingObjects = property.type { continue }
      fields.append(Field(property: index, target: nil))
    }
    return Projection(objectType: type.name, fields: fields)
  }
}

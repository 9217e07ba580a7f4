public import GatehouseModel

/// Which properties of an object an answer shows, and which links it follows. Realm's `Projection`.
public struct Projection: Hashable, Sendable {
  /// One property of the answer.
  public struct Field: Hashable, Sendable {
    /// Where in the class' properties the property is.
    public let property: Int
    /// The name in the answer; nil: the property's own.
    public let name: String?
    /// For a link, an embedded object or linking objects: what to show of the target in place of its primary
    /// key; nil: the primary key (an embedded object: all of it).
    public let target: Projection?
    /// The one field that is shown, where the property is the map of a document's fields; nil: the whole property.
    public let key: ExactText?
    /// The fields that are not shown, where it is that map.
    public let hiddenFields: Set<ExactText>

    public init(
      property: Int, name: String? = nil, target: Projection?, key: ExactText? = nil,
      hiddenFields: Set<ExactText> = []
    ) {
      precondition(key == nil || target == nil, "a field of a document is a value, and no object")
      self.property = property
      self.name = name
      self.target = target
      self.key = key
      self.hiddenFields = hiddenFields
    }
  }

  public let objectType: String
  /// In the order in which they are shown.
  public let fields: [Field]
  /// Whether `_key` is shown, where the class has no primary key.
  public let showsKey: Bool
  /// Whether the value of the one field stands in place of the object.
  public let isValue: Bool

  public init(objectType: String, fields: [Field], showsKey: Bool = true, isValue: Bool = false) {
    precondition(!isValue || fields.count <= 1, "one value at most stands in place of an object")
    self.isValue = isValue
    self.objectType = objectType
    self.fields = fields
    self.showsKey = showsKey
  }
}

extension Projection {
  /// Shows every property that is stored, links as primary keys; first `_key`, where that is the identity.
  public static func all(of type: ObjectType) -> Projection {
    Projection(
      objectType: type.name,
      fields: type.storedProperties.map { property in
        Field(
          property: property, target: nil,
          hiddenFields: property == type.fieldsIndex ? type.hiddenFields : [])
      })
  }
}

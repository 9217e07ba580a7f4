public import GatehouseModel

/// The objects that an answer has shown, as they were in the state that the answer came from, and the links that it followed.
public struct Observation: Sendable {
  /// An object, and all that it stores.
  public struct Object: Sendable {
    public let objectType: String
    public let key: ObjectKey
    /// A dictionary by stored names, links as primary keys.
    public let image: Mixed

    public init(objectType: String, key: ObjectKey, image: Mixed) {
      self.objectType = objectType
      self.key = key
      self.image = image
    }
  }

  /// A link that the answer has followed.
  public struct Link: Sendable {
    /// How the targets stand in the value of the property.
    public enum Form: Hashable, Sendable {
      case single
      /// The elements of a list or set.
      case elements
      /// The values of a map, with its keys.
      case entries([String])
    }

    /// The object that has the link.
    public let objectType: String
    public let key: ObjectKey
    /// The stored name of the property.
    public let property: String
    public let form: Form
    /// The class of the targets.
    public let targetType: String
    /// Where all links of the property lead, in their order; nil for a null.
    public let targets: [Object?]

    public init(
      objectType: String, key: ObjectKey, property: String, form: Form, targetType: String, targets: [Object?]
    ) {
      self.objectType = objectType
      self.key = key
      self.property = property
      self.form = form
      self.targetType = targetType
      self.targets = targets
    }
  }

  /// One object that the answer has shown.
  public struct Read: Sendable {
    public let object: Object
    /// Nil: the object was asked for.
    public let link: Link?

    public init(object: Object, link: Link? = nil) {
      self.object = object
      self.link = link
    }
  }

  /// The last commit of that state.
  public let version: Int64
  public let schema: Schema
  /// In the order of the answer.
  public let reads: [Read]

  public init(version: Int64, schema: Schema, reads: [Read]) {
    self.version = version
    self.schema = schema
    self.reads = reads
  }
}

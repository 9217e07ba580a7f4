internal import GatehouseModel

/// The choice of properties that an answer shows, as a client writes it.
public struct FieldSelection: Hashable, Sendable {
  /// `name,country.name`; nil: every stored property.
  public var fields: String?
  /// `country,country.continent`: links that are shown as objects.
  public var expand: String?
  /// The name of a projection in the schema, in place of `fields` and `expand`.
  public var projection: String?

  /// Chooses every stored property, unless it is told otherwise.
  public init(fields: String? = nil, expand: String? = nil, projection: String? = nil) {
    self.fields = fields
    self.expand = expand
    self.projection = projection
  }

  /// By the bytes of texts, as requests are compared.
  public static func == (left: Self, right: Self) -> Bool {
    left.fields.hasSameBytes(as: right.fields) && left.expand.hasSameBytes(as: right.expand)
      && left.projection.hasSameBytes(as: right.projection)
  }

  /// Whether every stored property is shown, and nothing else.
  var isEverything: Bool { fields == nil && expand == nil && projection == nil }

  func hash(into hash: inout TextHash) {
    hash.add(fields)
    hash.add(expand)
    hash.add(projection)
  }
}

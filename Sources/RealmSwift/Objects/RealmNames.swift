import GatehouseLive

// Names that Realm's types have in its Objective-C part, as programs spell them.

public typealias RLMObjectBase = ObjectBase
public typealias RLMPropertyType = PropertyType
public typealias RLMNotificationToken = NotificationToken
public typealias RLMMigration = Migration
public typealias RLMMaxKey = MaxKey
public typealias RLMMinKey = MinKey
public typealias RLMObjectId = ObjectId
public typealias RLMDecimal128 = Decimal128
public typealias RLMGeospatialPoint = GeoPoint
public typealias RLMGeospatialBox = GeoBox
public typealias RLMGeospatialPolygon = GeoPolygon
public typealias RLMGeospatialCircle = GeoCircle
public typealias RLMDistance = Distance
public typealias RLMAsyncTransactionId = AsyncTransactionId

/// A class that has a name in schemas, or its optional.
public protocol HasClassName {
  /// The name of the class in schemas.
  static func className() -> String
}

extension ObjectBase: HasClassName {}

extension Optional: HasClassName where Wrapped: ObjectBase {
  /// The name of the class in schemas.
  public static func className() -> String { Wrapped.className() }
}

import GatehouseLive

// Names that Realm's types have in its Objective-C part, as programs spell them.

/// The name in Realm's Objective-C part.
public typealias RLMObjectBase = ObjectBase
/// The name in Realm's Objective-C part.
public typealias RLMPropertyType = PropertyType
/// The name in Realm's Objective-C part.
public typealias RLMNotificationToken = NotificationToken
/// The name in Realm's Objective-C part.
public typealias RLMMigration = Migration
/// The name in Realm's Objective-C part.
public typealias RLMMaxKey = MaxKey
/// The name in Realm's Objective-C part.
public typealias RLMMinKey = MinKey
/// The name in Realm's Objective-C part.
public typealias RLMObjectId = ObjectId
/// The name in Realm's Objective-C part.
public typealias RLMDecimal128 = Decimal128
/// The name in Realm's Objective-C part.
public typealias RLMGeospatialPoint = GeoPoint
/// The name in Realm's Objective-C part.
public typealias RLMGeospatialBox = GeoBox
/// The name in Realm's Objective-C part.
public typealias RLMGeospatialPolygon = GeoPolygon
/// The name in Realm's Objective-C part.
public typealias RLMGeospatialCircle = GeoCircle
/// The name in Realm's Objective-C part.
public typealias RLMDistance = Distance
/// The name in Realm's Objective-C part.
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

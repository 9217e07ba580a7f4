import Foundation
import RealmSwift

enum IntEnum: Int, PersistableEnum {
  case value1 = 1
  case value2 = 3
  case value3 = 5
}

enum StringEnum: String, PersistableEnum {
  case value1 = "a"
  case value2 = "c"
}

/// A property of each type, alone, optional, and as elements of collections, as the objects of Realm's own tests have them.
class AllTypes: Object {
  @Persisted(primaryKey: true) var pk: ObjectId
  @Persisted var boolCol: Bool
  @Persisted var intCol: Int
  @Persisted var int8Col: Int8 = 1
  @Persisted var int16Col: Int16 = 2
  @Persisted var int32Col: Int32 = 3
  @Persisted var int64Col: Int64 = 4
  @Persisted var floatCol: Float = 5
  @Persisted var doubleCol: Double = 6
  @Persisted var stringCol: String
  @Persisted var binaryCol: Data
  @Persisted var dateCol: Date
  @Persisted var decimalCol: Decimal128
  @Persisted var objectIdCol: ObjectId
  @Persisted var objectCol: AllTypes?
  @Persisted var arrayCol: List<AllTypes>
  @Persisted var setCol: MutableSet<AllTypes>
  @Persisted var mapCol: Map<String, AllTypes?>
  @Persisted var anyCol: AnyRealmValue
  @Persisted var uuidCol: UUID
  @Persisted var intEnumCol: IntEnum
  @Persisted var stringEnumCol: StringEnum
  @Persisted var optIntCol: Int?
  @Persisted var optInt8Col: Int8?
  @Persisted var optFloatCol: Float?
  @Persisted var optDoubleCol: Double?
  @Persisted var optBoolCol: Bool?
  @Persisted var optStringCol: String?
  @Persisted var optBinaryCol: Data?
  @Persisted var optDateCol: Date?
  @Persisted var optDecimalCol: Decimal128?
  @Persisted var optObjectIdCol: ObjectId?
  @Persisted var optUuidCol: UUID?
  @Persisted var optIntEnumCol: IntEnum?
  @Persisted var optStringEnumCol: StringEnum?
  @Persisted var arrayBool: List<Bool>
  @Persisted var arrayInt: List<Int>
  @Persisted var arrayString: List<String>
  @Persisted var arrayDate: List<Date>
  @Persisted var arrayAny: List<AnyRealmValue>
  @Persisted var arrayEnum: List<IntEnum>
  @Persisted var arrayOptInt: List<Int?>
  @Persisted var arrayOptString: List<String?>
  @Persisted var setInt: MutableSet<Int>
  @Persisted var setString: MutableSet<String>
  @Persisted var setAny: MutableSet<AnyRealmValue>
  @Persisted var setOptInt: MutableSet<Int?>
  @Persisted var mapInt: Map<String, Int>
  @Persisted var mapString: Map<String, String>
  @Persisted var mapAny: Map<String, AnyRealmValue>
  @Persisted var mapOptInt: Map<String, Int?>
  @Persisted(originProperty: "objectCol") var linkingObjects: LinkingObjects<AllTypes>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An object that identifies nothing.
class StringObject: Object {
  @Persisted var stringCol: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RecursiveObject: Object {
  @Persisted var objects: List<RecursiveObject>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Objects in objects.
class EmbeddedParent: Object {
  @Persisted var object: EmbeddedTree1?
  @Persisted var array: List<EmbeddedTree1>
  @Persisted var map: Map<String, EmbeddedTree1?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class EmbeddedPrimaryParent: Object {
  @Persisted(primaryKey: true) var pk: Int
  @Persisted var object: EmbeddedTree1?
  @Persisted var array: List<EmbeddedTree1>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class EmbeddedTree1: EmbeddedObject {
  @Persisted var value = 0
  @Persisted var child: EmbeddedTree2?
  @Persisted var children: List<EmbeddedTree2>
  @Persisted(originProperty: "object") var parent: LinkingObjects<EmbeddedParent>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class EmbeddedTree2: EmbeddedObject {
  @Persisted var value = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum PortedRealms {
  static let types: [ObjectBase.Type] = [
    AllTypes.self, StringObject.self, RecursiveObject.self, EmbeddedParent.self, EmbeddedPrimaryParent.self,
    EmbeddedTree1.self, EmbeddedTree2.self,
  ]

  static func configuration() -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
  }

  static func open() throws -> Realm { try Realm(configuration: configuration()) }
}

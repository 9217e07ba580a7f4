import Foundation
import RealmSwift

/// A type of one's own that wraps another one, as Realm's own tests have one of each type.
protocol Wrapper: CustomPersistable, Equatable {
  var persistedValue: PersistedType { get }
}

extension Wrapper {
  var persistableValue: PersistedType { persistedValue }
}

struct BoolWrapper: Wrapper {
  typealias PersistedType = Bool
  let persistedValue: Bool
}

struct IntWrapper: Wrapper {
  typealias PersistedType = Int
  let persistedValue: Int
}

struct Int8Wrapper: Wrapper {
  typealias PersistedType = Int8
  let persistedValue: Int8
}

struct FloatWrapper: Wrapper {
  typealias PersistedType = Float
  let persistedValue: Float
}

struct DoubleWrapper: Wrapper {
  typealias PersistedType = Double
  let persistedValue: Double
}

struct StringWrapper: Wrapper {
  typealias PersistedType = String
  let persistedValue: String
}

struct DataWrapper: Wrapper {
  typealias PersistedType = Data
  let persistedValue: Data
}

struct DateWrapper: Wrapper {
  typealias PersistedType = Date
  let persistedValue: Date
}

struct DecimalWrapper: Wrapper {
  typealias PersistedType = Decimal128
  let persistedValue: Decimal128
}

struct ObjectIdWrapper: Wrapper {
  typealias PersistedType = ObjectId
  let persistedValue: ObjectId
}

struct UUIDWrapper: Wrapper {
  typealias PersistedType = UUID
  let persistedValue: UUID
}

/// A type that an embedded object stores.
struct PairWrapper: CustomPersistable, Equatable {
  final class Stored: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var y: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  typealias PersistedType = Stored
  var x: Int
  var y: String

  init(_ x: Int, _ y: String) { (self.x, self.y) = (x, y) }
  init(persistedValue: Stored) { (x, y) = (persistedValue.x, persistedValue.y) }
  var persistableValue: Stored { Stored(value: [x, y] as [Any]) }

  static func == (lhs: PairWrapper, rhs: PairWrapper) -> Bool { lhs.x == rhs.x && lhs.y == rhs.y }
}

/// A type of which not all that is stored is one: of even numbers.
struct EvenWrapper: FailableCustomPersistable, Equatable {
  typealias PersistedType = Int
  let value: Int

  init(_ value: Int) { self.value = value }
  init?(persistedValue: Int) {
    guard persistedValue.isMultiple(of: 2) else { return nil }
    value = persistedValue
  }
  var persistableValue: Int { value }
}

/// A type that its stored type's default is none of.
struct NonemptyWrapper: FailableCustomPersistable, Equatable {
  typealias PersistedType = String
  let value: String

  init(_ value: String) { self.value = value }
  init?(persistedValue: String) {
    if persistedValue.isEmpty { return nil }
    value = persistedValue
  }
  var persistableValue: String { value }
}

/// A property of each type of one's own.
class AllWrappers: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var bool: BoolWrapper
  @Persisted(indexed: true) var int: IntWrapper
  @Persisted var int8: Int8Wrapper
  @Persisted var float: FloatWrapper
  @Persisted var double: DoubleWrapper
  @Persisted var string: StringWrapper
  @Persisted var data: DataWrapper
  @Persisted var date: DateWrapper
  @Persisted var decimal: DecimalWrapper
  @Persisted var objectId: ObjectIdWrapper
  @Persisted var uuid: UUIDWrapper
  @Persisted var pair: PairWrapper
  @Persisted var even: EvenWrapper
  @Persisted var optInt: IntWrapper?
  @Persisted var optString: StringWrapper?
  @Persisted var optDate: DateWrapper?
  @Persisted var optPair: PairWrapper?
  @Persisted var optEven: EvenWrapper?
  @Persisted var optNonempty: NonemptyWrapper?
  @Persisted var nonempty = NonemptyWrapper("some")
  @Persisted var ints: List<IntWrapper>
  @Persisted var strings: MutableSet<StringWrapper>
  @Persisted var optStrings: List<StringWrapper?>
  @Persisted var doubles: Map<String, DoubleWrapper>
  @Persisted var optDates: Map<String, DateWrapper?>
  @Persisted var pairs: List<PairWrapper>
  @Persisted var evens: List<EvenWrapper>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class whose property has no default.
class WithoutDefault: Object {
  @Persisted var nonempty: NonemptyWrapper

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class that a wrapper identifies.
class WrappedKey: Object {
  @Persisted(primaryKey: true) var key: StringWrapper
  @Persisted var value: Int

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum WrapperRealms {
  static func open() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [AllWrappers.self, PairWrapper.Stored.self, WrappedKey.self]))
  }
}

import Foundation
import RealmSwift
import Testing

/// More mistakes of a programmer, which end the program with Realm's text.
enum PortedMisuse: String, CaseIterable, Codable, Sendable {
  case freezeUnmanagedList, thawUnmanagedList, sortUnmanagedSet, filterUnmanagedMap, freezeUnmanagedMap
  case observeUnmanagedList, observeUnmanagedMap
  case aggregateUnknown, aggregateText, aggregateUnmanagedUnknown
  case textForInts, textForLink, textForOptionalInt, textForDecimal, truthForFloat, nullForInt, numberForText
  case wrongClassForLink, wrongKey, noKey
  case unknownInPredicate, valueInPredicate, unknownInUnmanagedPredicate
  case resultsOnOtherThread, listOnOtherThread, mapOnOtherThread, realmOnOtherThread, writeOnOtherThread
  case freezeOnOtherThread, observeOnOtherThread
  case frozenMap, frozenSet, frozenDelete, writeReadOnly
  case managedEmbeddedInMap, invalidatedMap, invalidatedSet, invalidatedResults
  case renameOfNothing, renameOfStaying, renameToOtherType
  case commitScopeTwice, cancelScopeTwice
  case oddNumber, oddElement, noDefault, setToOdd
  case otherQueue, encodeManaged, compactReadOnly, deleteReadOnly
  case refreshFrozen, undefinedKey, unknownOperator, operatorWithoutPath
  case resolveInOther, sectionOfLinks, enumWithoutCase, dictionaryTooFar

  /// The text that the program ends with.
  var text: String {
    switch self {
    case .freezeUnmanagedList, .thawUnmanagedList:
      "This method may only be called on RLMArray instances retrieved from an RLMRealm"
    case .sortUnmanagedSet: "This method may only be called on RLMSet instances retrieved from an RLMRealm"
    case .filterUnmanagedMap, .freezeUnmanagedMap:
      "This method may only be called on RLMDictionary instances retrieved from an RLMRealm"
    case .observeUnmanagedList, .observeUnmanagedMap:
      "Change notifications are only supported on managed collections."
    case .aggregateUnknown: "Property 'nobody' not found in object of type 'AllTypes'"
    case .aggregateText: "Operation 'min' not supported for string property 'AllTypes.stringCol'"
    case .aggregateUnmanagedUnknown: "Invalid property name 'nobody' for class 'AllTypes'."
    case .textForInts: "Invalid value 'x' of type 'String' for 'int' array property 'AllTypes.arrayInt'."
    case .textForLink: "Invalid value 'x' of type 'String' for 'AllTypes?' property 'AllTypes.objectCol'."
    case .textForOptionalInt: "Invalid value 'x' of type 'String' for 'int?' property 'AllTypes.optIntCol'."
    case .textForDecimal:
      "Invalid value 'invalid' of type 'String' for 'decimal128' property 'AllTypes.decimalCol'."
    case .truthForFloat: "Invalid value 'true' of type 'Bool' for 'float' property 'AllTypes.floatCol'."
    case .nullForInt: "Invalid value '(null)' of type '(null)' for 'int' property 'AllTypes.intCol'."
    case .numberForText: "Invalid value '7' of type 'Int' for 'string' property 'AllTypes.stringCol'."
    case .wrongClassForLink: "for 'AllTypes?' property 'AllTypes.objectCol'."
    case .wrongKey: "Invalid value 'x' of type 'String' for 'object id' property 'AllTypes.pk'."
    case .noKey: "StringObject does not have a primary key"
    case .unknownInPredicate, .unknownInUnmanagedPredicate:
      "Property 'nobody' not found in object of type 'AllTypes'"
    case .valueInPredicate: "Cannot compare value 'x' of type"
    case .resultsOnOtherThread, .listOnOtherThread, .mapOnOtherThread, .realmOnOtherThread,
      .writeOnOtherThread,
      .freezeOnOtherThread, .observeOnOtherThread:
      "Realm accessed from incorrect thread."
    case .frozenMap: "Attempting to modify a frozen Dictionary - call thaw on the Dictionary instance first."
    case .frozenSet: "Attempting to modify a frozen Set - call thaw on the Set instance first."
    case .frozenDelete: "Can't perform transactions on a frozen Realm"
    case .writeReadOnly: "Can't perform transactions on read-only Realms."
    case .managedEmbeddedInMap: "Cannot add an existing managed embedded object to a Dictionary."
    case .invalidatedMap: "Access to invalidated Dictionary object"
    case .invalidatedSet: "Access to invalidated Set object"
    case .invalidatedResults: "Object has been deleted or invalidated."
    case .renameOfNothing: "Cannot rename property 'StringObject.nobody' because it does not exist."
    case .renameOfStaying:
      """
      Cannot rename property 'StringObject.stringCol' to 'stringCol' because the source property still exists.
      """
    case .renameToOtherType:
      "Cannot rename property 'Number.text' to 'number' because it would change from type 'string' to 'int'."
    case .otherQueue: "Realm opened from incorrect dispatch queue."
    case .commitScopeTwice, .cancelScopeTwice:
      "Cannot end event scope: scope '1' not in progress. Scope may have already been ended?"
    case .oddNumber, .oddElement:
      "Failed to convert persisted value '3' to type 'EvenWrapper' in a non-optional context."
    case .noDefault:
      "Failed to default construct a NonemptyWrapper using the default value for persisted type String."
    case .setToOdd: "Invalid value '3' of type 'Int' for 'int' property 'AllWrappers.even'."
    case .encodeManaged:
      "Only unmanaged Realm objects can be encoded using automatic Codable synthesis."
    case .compactReadOnly: "Cannot set `shouldCompactOnLaunch` when `readOnly` is set."
    case .deleteReadOnly: "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set."
    case .resolveInOther:
      "Cannot resolve thread safe reference in Realm with different configuration than the source Realm."
    case .refreshFrozen: "Auto-refresh cannot be enabled for frozen Realms."
    case .undefinedKey: "this class is not key value coding-compliant for the key name."
    case .unknownOperator: "Unsupported KVC collection operator found in key path '@some.intCol'"
    case .operatorWithoutPath: "Missing key path for KVC collection operator sum in key path '@sum'"
    case .sectionOfLinks: "Links are not supported as section keys."
    case .enumWithoutCase:
      "Failed to convert persisted value '7' to type 'IntEnum' in a non-optional context."
    case .dictionaryTooFar: "Invalid array input: more values"
    }
  }

  private static func onOtherThread<Value>(_ value: Value, _ body: @escaping (Value) -> Void) {
    let work = Work(run: { body(value) })
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      work.run()
      done.signal()
    }
    done.wait()
  }

  /// Something that is done where it must not be.
  private struct Work: @unchecked Sendable {
    let run: () -> Void
  }

  /// Makes the mistake.
  func make() throws {
    let realm = try PortedRealms.open()
    let object = AllTypes()
    try realm.write { realm.add(object) }
    switch self {
    case .freezeUnmanagedList: _ = List<Int>().freeze()
    case .thawUnmanagedList: _ = List<Int>().thaw()
    case .sortUnmanagedSet: _ = MutableSet<Int>().sorted(ascending: true) as Results<Int>
    case .filterUnmanagedMap: _ = Map<String, AllTypes?>().filter("intCol == 1")
    case .freezeUnmanagedMap: _ = Map<String, Int>().freeze()
    case .observeUnmanagedList: _ = List<Int>().observe { _ in }
    case .observeUnmanagedMap: _ = Map<String, Int>().observe { _ in }
    case .aggregateUnknown: _ = realm.objects(AllTypes.self).sum(ofProperty: "nobody") as Int
    case .aggregateText: _ = realm.objects(AllTypes.self).min(ofProperty: "stringCol") as Int?
    case .aggregateUnmanagedUnknown:
      let list = List<AllTypes>()
      list.append(AllTypes())
      _ = list.sum(ofProperty: "nobody") as Int
    case .textForInts:
      object.arrayInt.realm?.beginWrite()
      object["arrayInt"] = "x"
    case .textForLink: _ = AllTypes(value: ["objectCol": "x"])
    case .textForOptionalInt: try realm.write { object.setValue("x", forKey: "optIntCol") }
    case .textForDecimal: try realm.write { realm.create(AllTypes.self, value: ["decimalCol": "invalid"]) }
    case .truthForFloat: try realm.write { realm.create(AllTypes.self, value: ["floatCol": true]) }
    case .nullForInt: try realm.write { realm.create(AllTypes.self, value: ["intCol": NSNull()]) }
    case .numberForText: AllTypes()["stringCol"] = 7
    case .wrongClassForLink:
      try realm.write { realm.create(AllTypes.self, value: ["objectCol": StringObject()]) }
    case .wrongKey: _ = realm.object(ofType: AllTypes.self, forPrimaryKey: "x")
    case .noKey: _ = realm.object(ofType: StringObject.self, forPrimaryKey: "x")
    case .unknownInPredicate: _ = realm.objects(AllTypes.self).filter("nobody == 1")
    case .valueInPredicate: _ = realm.objects(AllTypes.self).filter("intCol == 'x'")
    case .unknownInUnmanagedPredicate: _ = List<AllTypes>().index(matching: "nobody == 1")
    case .resultsOnOtherThread: Self.onOtherThread(realm.objects(AllTypes.self)) { _ = $0.count }
    case .listOnOtherThread: Self.onOtherThread(object.arrayInt) { _ = $0.first }
    case .mapOnOtherThread: Self.onOtherThread(object.mapInt) { _ = $0["a"] }
    case .realmOnOtherThread: Self.onOtherThread(realm) { _ = $0.objects(AllTypes.self) }
    case .writeOnOtherThread: Self.onOtherThread(realm) { try? $0.write {} }
    case .freezeOnOtherThread: Self.onOtherThread(object) { _ = $0.freeze() }
    case .observeOnOtherThread: Self.onOtherThread(object.arrayInt) { _ = $0.observe(on: .main) { _ in } }
    case .frozenMap:
      let map = object.mapInt.freeze()
      realm.beginWrite()
      map["a"] = 1
    case .frozenSet:
      let set = object.setInt.freeze()
      realm.beginWrite()
      set.insert(1)
    case .frozenDelete: realm.freeze().delete(object.freeze())
    case .writeReadOnly:
      let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      var configuration = Realm.Configuration(fileURL: url, objectTypes: PortedRealms.types)
      _ = try Realm(configuration: configuration)
      configuration.readOnly = true
      try Realm(configuration: configuration).write {}
    case .managedEmbeddedInMap:
      try realm.write {
        let parent = realm.create(EmbeddedParent.self, value: ["object": [1]])
        parent.map["a"] = parent.object
      }
    case .invalidatedMap:
      let map = object.mapInt
      try realm.write { realm.delete(object) }
      _ = map.count
    case .invalidatedSet:
      let set = object.setInt
      try realm.write { realm.delete(object) }
      _ = set.contains(1)
    case .invalidatedResults:
      realm.invalidate()
      _ = object.intCol
    case .renameOfNothing, .renameOfStaying:
      var configuration = realm.configuration
      configuration.schemaVersion = 1
      let name = self == .renameOfNothing ? "nobody" : "stringCol"
      configuration.objectTypes = [StringObject.self]
      configuration.migrationBlock = { migration, _ in
        migration.renameProperty(onType: "StringObject", from: name, to: "stringCol")
      }
      _ = try Realm(configuration: configuration)
    case .renameToOtherType:
      class Text: Object {
        @Persisted var text: String
        override class func _realmObjectName() -> String? { "Number" }
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      class Number: Object {
        @Persisted var number: Int
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
      }
      var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Text.self])
      let old = try Realm(configuration: configuration)
      configuration.schemaVersion = 1
      configuration.objectTypes = [Number.self]
      configuration.migrationBlock = { migration, _ in
        migration.renameProperty(onType: "Number", from: "text", to: "number")
      }
      _ = try Realm(configuration: configuration)
      print(old)
    case .otherQueue: _ = try Realm(configuration: realm.configuration, queue: DispatchQueue(label: "other"))
    case .commitScopeTwice, .cancelScopeTwice:
      let events = try Recorded.realm(Recorded.configuration()).events
      let scope = events?.beginScope(activity: "a")
      scope?.cancel()
      if self == .commitScopeTwice { scope?.commit() } else { scope?.cancel() }
    case .oddNumber, .oddElement:
      let wrappers = try WrapperRealms.open()
      let values = ["even": 3, "evens": [3]] as [String: Any]
      try wrappers.write { wrappers.dynamicCreate("AllWrappers", value: values) }
      let found = wrappers.objects(AllWrappers.self).first
      _ = self == .oddNumber ? found?.even : found?.evens.first
    case .noDefault: _ = WithoutDefault().nonempty
    case .refreshFrozen: realm.freeze().autorefresh = true
    case .undefinedKey:
      try realm.write {
        realm.create(AllTypes.self, value: ["arrayInt": [1]]).arrayInt.setValue(1, forKey: "name")
      }
    case .unknownOperator: _ = realm.objects(AllTypes.self).value(forKeyPath: "@some.intCol")
    case .operatorWithoutPath: _ = realm.objects(AllTypes.self).value(forKeyPath: "@sum")
    case .setToOdd: AllWrappers()["even"] = 3
    case .encodeManaged:
      let linked = CodablePortTests.Linked(value: ["a"])
      let types: [ObjectBase.Type] = [CodablePortTests.Linked.self]
      let other = try Realm(
        configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
      try other.write { other.add(linked) }
      _ = try JSONEncoder().encode(linked)
    case .compactReadOnly, .deleteReadOnly:
      let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      var configuration = Realm.Configuration(fileURL: url, objectTypes: [StringObject.self])
      _ = try Realm(configuration: configuration)
      if self == .compactReadOnly { configuration.shouldCompactOnLaunch = { _, _ in true } }
      if self == .deleteReadOnly { configuration.deleteRealmIfMigrationNeeded = true }
      configuration.readOnly = true
      _ = try Realm(configuration: configuration)
    case .resolveInOther:
      let reference = ThreadSafeReference(to: object)
      _ = try PortedRealms.open().resolve(reference)
    case .sectionOfLinks:
      _ = realm.objects(AllTypes.self).sectioned(by: { $0.objectCol }, sortDescriptors: ["intCol"])
    case .enumWithoutCase:
      try realm.write { realm.dynamicCreate("AllTypes", value: ["intEnumCol": 7]) }
      _ = realm.objects(AllTypes.self).filter("intEnumCol == 7").first?.intEnumCol
    case .dictionaryTooFar: _ = StringObject(value: ["a", "b"])
    }
  }
}

struct MisusePortTests {
  @Test(arguments: PortedMisuse.allCases)
  func `a mistake ends the program with Realm's text`(_ misuse: PortedMisuse) async throws {
    await Mistake.ported(misuse).expectEnd()
  }
}

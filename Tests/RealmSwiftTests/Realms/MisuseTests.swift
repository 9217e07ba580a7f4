import Foundation
import GatehouseModel
import GatehouseStorage
import RealmSwift
import Testing

/// A mistake of a programmer, which ends the program with Realm's text.
enum Misuse: String, CaseIterable, Codable, Sendable {
  case otherThread, setOutsideOfWrite, addOutsideOfWrite, appendOutsideOfWrite, mapOutsideOfWrite,
    setOutsideOfWriteInSet
  case nestedWrite, commitWithoutWrite, cancelWithoutWrite, frozenWrite, frozenSet, frozenList
  case deletedObject, deletedList, deleteOfOther, addOfDeleted, addOfOther
  case primaryKeyChange, primaryKeyTaken, updateWithoutPrimaryKey, embeddedDirectly
  case unknownProperty, unknownKeyPath, unknownClass, indexTooLarge, dotInKey, dollarInKey
  case freezeUnmanaged, freezeNew, thawUnmanaged, filterUnmanaged, observeUnmanaged, observeFrozen
  case observeWithoutQueue, observeAfterChange, referenceUnmanaged, referenceTwice, referenceDeleted
  case allModifier, sortOnLink, sortOnList, sectionsWithoutOrder, sectionsOfOtherOrder
  case wrongType, tooManyValues, foreignToken, filterValues, sumOfStrings
  case documentOutsideOfWrite, dotInField, identifierOfDocument, listAsIdentifier, fieldsOfObject,
    observeLinkingUnmanaged
  case embeddedTwice, embeddedInList, insertTooFar, sortValuesTwice, sortValuesByName, nestedSum
  case keyPathOfValues, keyPathOfMap, keyPathOfSections, nestedSumOfMap, nestedKeyOfMap
  case resolveInWrite, projectionOfNothing, tooManyVersions

  /// The text that the program ends with.
  var text: String {
    switch self {
    case .otherThread: "Realm accessed from incorrect thread."
    case .tooManyVersions: "in the Realm exceeded the limit of 2"
    case .setOutsideOfWrite:
      """
      Attempting to modify object outside of a write transaction - call beginWriteTransaction on an RLMRealm \
      instance first.
      """
    case .addOutsideOfWrite:
      """
      Can only add, remove, or create objects in a Realm in a write transaction - call beginWriteTransaction on an \
      RLMRealm instance first.
      """
    case .appendOutsideOfWrite: "Cannot modify managed RLMArray outside of a write transaction."
    case .mapOutsideOfWrite: "Cannot modify Dictionary outside of a write transaction."
    case .setOutsideOfWriteInSet: "Cannot modify managed RLMSet outside of a write transaction."
    case .nestedWrite: "The Realm is already in a write transaction"
    case .commitWithoutWrite: "Can't commit a non-existing write transaction"
    case .cancelWithoutWrite: "Can't cancel a non-existing write transaction"
    case .frozenWrite: "Can't perform transactions on a frozen Realm"
    case .frozenSet: "Attempting to modify a frozen object - call thaw on the Object instance first."
    case .frozenList: "Attempting to modify a frozen List - call thaw on the List instance first."
    case .deletedObject: "Object has been deleted or invalidated."
    case .deletedList: "Access to invalidated List object"
    case .deleteOfOther: "Can only delete an object from the Realm it belongs to."
    case .addOfDeleted: "Adding a deleted or invalidated object to a Realm is not permitted"
    case .addOfOther:
      "Object is already managed by another Realm. Use create instead to copy it into this Realm."
    case .primaryKeyChange: "Primary key can't be changed after an object is inserted."
    case .primaryKeyTaken:
      "Attempting to create an object of type 'Dog' with an existing primary key value 'Rex'."
    case .updateWithoutPrimaryKey: "'Person' does not have a primary key and can not be updated"
    case .embeddedDirectly: "Embedded objects cannot be created directly"
    case .unknownProperty: "Invalid property name 'colour' for class 'Dog'."
    case .unknownKeyPath: "Invalid property name: property 'colour' not found in object of type 'Dog'"
    case .unknownClass: "Object type 'Stranger' is not managed by the Realm."
    case .indexTooLarge: "Index 3 is out of bounds (must be less than 0)."
    case .dotInKey: "key must not contain '.'"
    case .dollarInKey: "key must not start with '$'"
    case .freezeUnmanaged: "Unmanaged objects cannot be frozen."
    case .freezeNew: "Cannot freeze an object in the same write transaction as it was created in."
    case .thawUnmanaged: "Unmanaged objects cannot be thawed."
    case .filterUnmanaged: "This method may only be called on"
    case .observeUnmanaged: "Only objects which are managed by a Realm support change notifications"
    case .observeFrozen:
      "Notifications are not available on frozen objects since they do not change."
    case .observeWithoutQueue: "Can only add notification blocks from within runloops."
    case .observeAfterChange:
      "Cannot create asynchronous query after making changes in a write transaction."
    case .referenceUnmanaged:
      "Cannot construct reference to unmanaged object, which can be passed across threads directly"
    case .referenceTwice: "Can only resolve a thread safe reference once."
    case .referenceDeleted: "Cannot construct reference to invalidated object"
    case .allModifier: "ALL modifier not supported"
    case .sortOnLink:
      "Cannot sort on key path 'owner': property 'Dog.owner' of type 'object' cannot be the final property in the key path."
    case .sortOnList:
      "Cannot sort on key path 'friends': property 'Dog.friends' is of unsupported type 'array"
    case .sectionsWithoutOrder: "Can not section Results with empty sortDescriptor parameter."
    case .sectionsOfOtherOrder: "The section key path must match the primary sort descriptor."
    case .wrongType: "Invalid value 'old' of type 'String' for 'int' property 'Dog.age'."
    case .tooManyValues: "Invalid array input: more values (20) than properties (12)."
    case .foreignToken:
      "Incorrect Realm: only notifications for the Realm being modified can be skipped."
    case .filterValues: "Querying is currently only implemented for arrays of Realm Objects"
    case .documentOutsideOfWrite: "Attempting to modify object outside of a write transaction"
    case .dotInField: "Dictionary::insert: key must not contain '.'"
    case .identifierOfDocument: "Primary key can't be changed after an object is inserted."
    case .listAsIdentifier: "for 'mixed?' property 'Log._id'."
    case .fieldsOfObject: "Only objects of schemaless classes have fields."
    case .observeLinkingUnmanaged: "Linking objects notifications are only supported on managed objects."
    case .embeddedTwice: "Cannot set a link to an existing managed embedded object"
    case .embeddedInList: "Cannot add an existing managed embedded object to a List."
    case .insertTooFar: "Index 2 is out of bounds (must be less than 1)."
    case .sortValuesTwice: "Cannot sort array of 'int' on more than one key path"
    case .sortValuesByName:
      "Cannot sort on key path 'age': arrays of 'int' can only be sorted on 'self'"
    case .keyPathOfValues, .keyPathOfMap, .keyPathOfSections:
      "Invalid property name: property 'nope' not found in object of type 'Dog'"
    case .resolveInWrite: "Cannot resolve a thread safe reference in a write transaction."
    case .projectionOfNothing: "@Projected property 'nothing' must be a part of Realm object"
    case .nestedSum, .nestedSumOfMap, .nestedKeyOfMap:
      "Nested key paths are not supported yet for KVC collection operators."
    case .sumOfStrings: "Operation 'sum' not supported for string property 'Dog.name'"
    }
  }

  /// Makes a document of a schemaless class.
  private static func makeDocument(_ id: Any = 1) throws -> DynamicObject {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let store = try Store(directory: path)
    _ = try store.applyAndWait(GatehouseModel.Schema([.schemaless("Log")]), destructive: false)
    let realm = try Realm(store: store, configuration: Realm.Configuration(objectTypes: []))
    return try realm.write { realm.dynamicCreate("Log", value: ["_id": id]) }
  }

  /// Makes the mistake.
  func make() throws {
    let realm = try Realms.open()
    let rex = Dog(value: ["name": "Rex", "age": 1])
    try realm.write { realm.add(rex) }
    switch self {
    case .otherThread:
      // The value is in memory: nothing but the thread is asked for.
      _ = rex.age
      let handover = Handover(value: rex)
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        _ = handover.value.age
        done.signal()
      }
      done.wait()
    case .setOutsideOfWrite: rex.age = 2
    case .addOutsideOfWrite: realm.add(Dog(value: ["name": "Max"]))
    case .appendOutsideOfWrite: rex.friends.append(rex)
    case .mapOutsideOfWrite: rex.scores["x"] = 1
    case .setOutsideOfWriteInSet: rex.tags.insert("x")
    case .nestedWrite: try realm.write { try realm.write {} }
    case .commitWithoutWrite: try realm.commitWrite()
    case .cancelWithoutWrite: realm.cancelWrite()
    case .frozenWrite: realm.freeze().beginWrite()
    case .frozenSet:
      let frozen = rex.freeze()
      realm.beginWrite()
      frozen.age = 3
    case .frozenList:
      let frozen = rex.freeze()
      realm.beginWrite()
      frozen.friends.removeAll()
    case .deletedObject:
      try realm.write { realm.delete(rex) }
      _ = rex.age
    case .deletedList:
      let friends = rex.friends
      try realm.write { realm.delete(rex) }
      _ = friends.count
    case .deleteOfOther: try realm.write { realm.delete(Dog()) }
    case .addOfDeleted:
      try realm.write { realm.delete(rex) }
      try realm.write { realm.add(rex) }
    case .addOfOther:
      let other = try Realms.open()
      try other.write { other.add(rex) }
    case .primaryKeyChange: try realm.write { rex.name = "Max" }
    case .primaryKeyTaken: try realm.write { realm.add(Dog(value: ["name": "Rex"])) }
    case .updateWithoutPrimaryKey: try realm.write { realm.add(Person(), update: .all) }
    case .embeddedDirectly: try realm.write { _ = realm.dynamicCreate("Collar") }
    case .unknownProperty: _ = rex["colour"]
    case .unknownKeyPath:
      _ = rex.observe(keyPaths: ["colour"], on: .main) { (_: RealmSwift.ObjectChange<Dog>) in }
    case .unknownClass: _ = realm.dynamicObjects("Stranger")
    case .indexTooLarge: _ = rex.friends[3]
    case .dotInKey: try realm.write { rex.scores["a.b"] = 1 }
    case .dollarInKey: try realm.write { rex.scores["$a"] = 1 }
    case .freezeUnmanaged: _ = Dog().freeze()
    case .freezeNew:
      realm.beginWrite()
      let new = realm.create(Dog.self, value: ["name": "Max"])
      _ = new.freeze()
    case .thawUnmanaged: _ = Dog().thaw()
    case .filterUnmanaged: _ = Dog().friends.filter("age == 1")
    case .observeUnmanaged: _ = Dog().observe { (_: RealmSwift.ObjectChange<Dog>) in }
    case .observeFrozen: _ = rex.freeze().observe(on: .main) { (_: RealmSwift.ObjectChange<Dog>) in }
    case .observeWithoutQueue:
      let done = DispatchSemaphore(value: 0)
      let configuration = realm.configuration
      Thread.detachNewThread {
        let realm = try? Realm(configuration: configuration)
        _ = realm?.objects(Dog.self).observe { _ in }
        done.signal()
      }
      done.wait()
    case .observeAfterChange:
      realm.beginWrite()
      rex.age = 5
      _ = realm.objects(Dog.self).observe(on: .main) { _ in }
    case .referenceUnmanaged: _ = ThreadSafeReference(to: Dog())
    case .referenceTwice:
      let reference = ThreadSafeReference(to: rex)
      _ = realm.resolve(reference)
      _ = realm.resolve(reference)
    case .referenceDeleted:
      try realm.write { realm.delete(rex) }
      _ = ThreadSafeReference(to: rex)
    case .allModifier: _ = realm.objects(Dog.self).filter("ALL friends.age == 1").count
    case .sortOnLink: _ = realm.objects(Dog.self).sorted(byKeyPath: "owner")
    case .sortOnList: _ = realm.objects(Dog.self).sorted(byKeyPath: "friends")
    case .sectionsWithoutOrder: _ = realm.objects(Dog.self).sectioned(by: \.age, sortDescriptors: [])
    case .sectionsOfOtherOrder: _ = realm.objects(Dog.self).sectioned(by: \.age, sortDescriptors: ["name"])
    case .wrongType: try realm.write { rex["age"] = "old" }
    case .tooManyValues: _ = Dog(value: Array(repeating: "x", count: 20))
    case .foreignToken:
      let other = try Realms.open()
      let token = other.observe { _, _ in }
      try realm.write(withoutNotifying: [token]) {}
    case .filterValues:
      let all = Everything()
      try realm.write { realm.add(all) }
      _ = all.ints.filter("self > 1")
    case .documentOutsideOfWrite: try Self.makeDocument()["level"] = "a"
    case .dotInField:
      let document = try Self.makeDocument()
      try document.realm?.write { document["a.b"] = 1 }
    case .identifierOfDocument:
      let document = try Self.makeDocument()
      try document.realm?.write { document.dynamicFields()["_id"] = .int(2) }
    case .listAsIdentifier: _ = try Self.makeDocument([1])
    case .fieldsOfObject: _ = realm.dynamicObjects("Dog").first?.dynamicFields()
    case .observeLinkingUnmanaged: _ = Person().dogs.observe(on: .main) { _ in }
    case .embeddedTwice:
      try realm.write {
        rex.collar = Collar()
        let max = realm.create(Dog.self, value: ["name": "Max"])
        max.collar = rex.collar
      }
    case .embeddedInList:
      try realm.write {
        rex.toys.append(Toy())
        rex.toys.append(rex.toys[0])
      }
    case .insertTooFar: try realm.write { rex.friends.insert(rex, at: 2) }
    case .sortValuesTwice, .sortValuesByName:
      let all = Everything()
      try realm.write { realm.add(all) }
      _ = all.ints.sorted(by: self == .sortValuesTwice ? ["self", "self"] : ["age"])
    case .nestedSum:
      let dogs = List<Dog>()
      dogs.append(Dog())
      let sum: Int = dogs.sum(ofProperty: "owner.age")
      print(sum)
    case .keyPathOfValues: _ = rex.tags.observe(keyPaths: ["nope"], on: .main) { _ in }
    case .keyPathOfMap: _ = rex.scores.observe(keyPaths: ["nope"], on: .main) { _ in }
    case .keyPathOfSections:
      _ = rex.tags.sectioned(by: { $0 }, ascending: true).observe(keyPaths: ["nope"], on: .main) { _ in }
    case .nestedSumOfMap: _ = Person().favourites.value(forKeyPath: "@sum.owner.age")
    case .nestedKeyOfMap: _ = Person().favourites.value(forKeyPath: "k.age")
    case .resolveInWrite:
      let reference = ThreadSafeReference(to: rex)
      realm.beginWrite()
      _ = realm.resolve(reference)
    case .projectionOfNothing: _ = NothingOfDog(projecting: rex)
    case .tooManyVersions:
      var configuration = Realms.configuration()
      configuration.maximumNumberOfActiveVersions = 2
      let bounded = try Realm(configuration: configuration)
      var frozen: [Realm] = []
      for name in ["a", "b", "c", "d"] {
        try bounded.write { bounded.create(Dog.self, value: ["name": name]) }
        // A frozen Realm keeps its state.
        frozen.append(bounded.freeze())
      }
      print(frozen.count)
    case .sumOfStrings:
      let sum: Int = realm.objects(Dog.self).sum(ofProperty: "name")
      print(sum)
    }
  }
}

/// A view of what is not stored.
private final class NothingOfDog: Projection<Dog> {
  @Projected(\Dog.hashValue) var nothing
}

/// A value that goes to where it must not be used.
private struct Handover<Value>: @unchecked Sendable {
  let value: Value
}

struct MisuseTests {
  @Test(arguments: Misuse.allCases)
  func `a mistake ends the program with Realm's text`(_ misuse: Misuse) async throws {
    await Mistake.general(misuse).expectEnd()
  }
}

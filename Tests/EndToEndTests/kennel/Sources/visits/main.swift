import Dispatch
import Foundation
import KennelModels
import RealmSwift

// A program of Swift 5, whose compiler checks nothing of what threads share. A queue counts a visit, and the main queue is told of it.
let configuration = Realm.Configuration(inMemoryIdentifier: "visits")
let realm = try Realm(configuration: configuration)
let rex = Dog(name: "Rex", age: 0)
try realm.write { realm.add(rex) }
let token = rex.observe { (change: ObjectChange<Dog>) in
  guard case .change(let dog, let properties) = change else { return }
  print(properties.map(\.name).joined(separator: ","), dog.age)
  exit(0)
}
let reference = ThreadSafeReference(to: rex)
let queue = DispatchQueue(label: "visits")
queue.async {
  do {
    let realm = try Realm(configuration: configuration, queue: queue)
    guard let dog = realm.resolve(reference) else { return }
    try realm.write { dog.age += 1 }
  } catch {
    print(error)
    exit(1)
  }
}
dispatchMain()

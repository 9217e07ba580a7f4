import Dispatch
import Foundation
import KennelModels
import RealmSwift

// Adds a dog for each argument behind the directory, and lists all of them.
guard let directory = CommandLine.arguments.dropFirst().first else {
  print("usage: kennel DIRECTORY [NAME…]")
  exit(64)
}
let realm = try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: directory)))
let dogs = realm.objects(Dog.self)
let token = dogs.observe { change in
  if case .update(_, _, let insertions, _) = change { print("\(insertions.count) more") }
}
try realm.write {
  for (index, name) in CommandLine.arguments.dropFirst(2).enumerated() {
    let dog = Dog(name: name, age: index)
    dog.friends.append(objectsIn: dogs.where { $0.age < index })
    realm.add(dog)
  }
}
for dog in dogs.sorted(by: \.name) { print("\(dog.name) \(dog.age) \(dog.friends.count)") }
print(realm.objects(DogTitle.self).filter("friends.@count > 0").map(\.title).sorted().joined(separator: ","))
token.invalidate()

import Foundation
import RealmSwift
import Testing

/// Programs that end in the middle of writing, and two programs on one directory.
struct CrashTests {
  private static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: Realms.types)
  }

  /// Writes numbers, each to three objects in one transaction, until another thread kills the process.
  private static func write(to path: String, report: String, rounds: Int) throws {
    let realm = try Realm(configuration: configuration(path))
    let names = ["a", "b", "c"]
    try realm.write { for name in names { realm.add(Dog(value: ["name": name]), update: .modified) } }
    let dogs = names.compactMap { realm.object(ofType: Dog.self, forPrimaryKey: $0) }
    let file = FileHandle(forWritingAtPath: report)
    var number = dogs[0].age
    Thread.detachNewThread {
      var random = SystemRandomNumberGenerator()
      usleep(UInt32.random(in: 1_000..<(UInt32(rounds) * 10_000), using: &random))
      kill(getpid(), SIGKILL)
    }
    while true {
      number += 1
      try realm.write {
        for dog in dogs {
          dog.age = number
          dog.scores["n\(number % 7)"] = number
        }
      }
      // The number that was committed is for whoever looks afterwards.
      try file?.seek(toOffset: 0)
      try file?.write(contentsOf: Data(String(format: "%010d", number).utf8))
    }
  }

  @Test(arguments: [1, 3, 6])
  func `what was committed is there after a kill, and nothing of what was not`(rounds: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (path, report) = (
      folder.appendingPathComponent("realm").path, folder.appendingPathComponent("told").path
    )
    _ = FileManager.default.createFile(atPath: report, contents: Data("0000000000".utf8))
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, report = report as String, rounds] in
      try Self.write(to: path, report: report, rounds: rounds)
    }
    let told = Int(try String(contentsOfFile: report, encoding: .utf8)) ?? -1
    // A process that was killed before it had written anything has left nothing.
    guard Realm.fileExists(for: Self.configuration(path)) else {
      #expect(told == 0)
      return
    }
    let realm = try Realm(configuration: Self.configuration(path), queue: nil)
    let dogs = realm.objects(Dog.self)
    #expect(Set(dogs.map(\.age)).count <= 1)
    let age = dogs.first?.age ?? 0
    #expect(age == told || age == told + 1)
    if age > 0 { for dog in dogs { #expect(dog.scores["n\(age % 7)"] == age) } }
  }

  @MainActor
  @Test func `a second program is told who has the Realm open`() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    let realm = try Realm(configuration: Self.configuration(path), queue: .main)
    let holder = Int(getpid())
    await #expect(processExitsWith: .success) {
      [path = path as String, holder = holder as Int] in
      do {
        _ = try Realm(configuration: Self.configuration(path))
        exit(1)
      } catch let error as Realm.Error {
        guard error.code == .fileAccess, error.localizedDescription.contains("process \(holder) has it open")
        else { exit(2) }
      }
    }
    #expect(realm.isFrozen == false)
  }
}

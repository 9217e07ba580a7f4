import Foundation
import GatehouseLive
import Testing

@testable import RealmSwift

/// Commits that an observer is not to hear of, where others commit right behind them.
struct SkippedCommitTests {
  @Test func `who does not hear of a commit hears of what others have committed since`() throws {
    let configuration = Realms.configuration()
    let realm = try Realm(configuration: configuration)
    let live = realm.context.live
    var told: [Int] = []
    let notifier = ResultsNotifier(LiveResults(.objectType("Dog"), of: "Dog", in: live), along: nil) {
      told.append($0?.new.count ?? 0)
    }
    live.add(notifier)
    live.notify()
    #expect(told == [0])
    let base = live.version
    realm.beginWrite()
    realm.create(Dog.self, value: ["name": "Rex"])
    let committed = try live.commitWrite()
    let hasWritten = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let other = try? Realm(configuration: configuration)
      _ = try? other?.write { other?.create(Dog.self, value: ["name": "Tim"]) }
      hasWritten.signal()
    }
    hasWritten.wait()
    try live.advance()
    notifier.skip(committed, after: base)
    live.notify()
    #expect(told == [0, 2])
  }
}

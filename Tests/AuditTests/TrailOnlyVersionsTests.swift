import Testing

@testable import GatehouseAudit

struct TrailOnlyVersionsTests {
  @Test(arguments: [(1, 1), (4, 4), (5, 4), (7, 4), (8, 8), (9, 8), (10, 10)] as [(Int64, Int64)])
  func `a version of the trail has the data of the version before its run`(version: Int64, data: Int64) {
    var versions = TrailOnlyVersions()
    for version in [5, 6, 7, 9] as [Int64] { versions.add(version) }
    #expect(versions.data(of: version) == data)
  }

  @Test func `of more than 64 runs the oldest are forgotten`() {
    var versions = TrailOnlyVersions()
    for run in 1...65 as ClosedRange<Int64> { versions.add(run * 2) }
    #expect([2, 4, 130].map { versions.data(of: $0) } == [2, 3, 129])
  }
}

import Testing

@testable import GatehouseApp

struct ProgressTests {
  let start = ContinuousClock.now

  @Test func `a bar shows the share, the objects, the rate and the time left`() {
    var progress = Progress(title: "City", style: .bar, now: start)
    #expect(progress.update(objects: 10, fraction: 0.1, now: start + .milliseconds(99)) == nil)
    #expect(
      progress.update(objects: 17_003, fraction: 0.5, now: start + .seconds(2))
        == "\rCity [############------------] 50%, 17,003 objects, 8,501 objects/s, 2.0 s left\u{1B}[K")
    #expect(progress.update(objects: 17_004, fraction: 0.5, now: start + .milliseconds(2050)) == nil)
    #expect(
      progress.finish(objects: 34_006, verb: "imported", now: start + .seconds(4))
        == "\r\u{1B}[KCity: 34,006 objects imported in 4.0 s (8,501 objects/s)\n")
  }

  @Test func `elsewhere a line comes every other second`() {
    var progress = Progress(title: "City", style: .lines, now: start)
    #expect(progress.update(objects: 10, fraction: 0.1, now: start + .milliseconds(1999)) == nil)
    #expect(
      progress.update(objects: 1000, fraction: 0.25, now: start + .seconds(2))
        == "City: 25%, 1,000 objects, 500 objects/s, 6.0 s left\n")
    #expect(
      progress.finish(objects: 0, verb: "exported", now: start + .seconds(4))
        == "City: 0 objects exported in 4.0 s (0 objects/s)\n")
  }

  @Test func `without a known size there is no share and no time left`() {
    var progress = Progress(title: "City", style: .bar, now: start)
    #expect(
      progress.update(objects: 5, fraction: nil, now: start + .seconds(1))
        == "\rCity: 5 objects, 5 objects/s\u{1B}[K")
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
  func `numbers are grouped by thousands`(number: Int, text: String) {
    #expect(Quantity.grouped(number) == text)
  }

  @Test(arguments: [
    (Duration.milliseconds(40), "0.0 s"), (.milliseconds(9940), "9.9 s"), (.milliseconds(9960), "10 s"),
    (.seconds(119), "119 s"), (.seconds(200), "3 min 20 s"),
  ])
  func `a duration has the unit that people use`(duration: Duration, text: String) {
    #expect(Quantity.duration(duration) == text)
  }
}

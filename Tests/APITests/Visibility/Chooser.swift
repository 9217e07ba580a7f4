import GatehouseSeeded

/// Chooses at random, the same in every run.
struct Chooser {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A number from 0 to below the limit.
  mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  mutating func chance(percent: Int) -> Bool { number(below: 100) < percent }

  mutating func one<Element>(of choices: [Element]) -> Element { choices[number(below: choices.count)] }

  /// Up to `count` values of the generator.
  mutating func several<Element>(_ count: Int, _ make: (inout Chooser) -> Element) -> [Element] {
    (0..<number(below: count + 1)).map { _ in make(&self) }
  }
}

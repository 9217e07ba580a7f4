import GatehouseSeeded
import GatehouseStorage

/// An operator, who checks the store and writes it anew while clients use it.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Caretaker: @unchecked Sendable {
  private let world: World
  private var generator: SeededGenerator

  init(in world: World) {
    self.world = world
    generator = world.scenario.generator(60)
  }

  func run() async {
    for _ in 0..<4 {
      await world.pause(1...200)
      guard let service = world.service else { continue }
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: _ = try? await service.store.compact()
      case 1: check(service)
      default: hold(service)
      }
    }
  }

  /// A store that works has nothing that check finds, whatever has happened to it; pages that cannot be
  /// read now are told as damaged.
  private func check(_ service: Service) {
    guard let violations = try? StoreSnapshot(directory: service.directory).check(progress: { _, _ in }),
      service.isUp, !violations.isEmpty, !world.hasFailedReads
    else { return }
    Simulation.fail("check finds \(violations.map { "\($0)" }) while clients are at work")
  }

  /// A version that a program holds is the same for as long as it holds it.
  private func hold(_ service: Service) {
    guard let pin = try? service.store.pin() else { return }
    let version = pin.version
    withExtendedLifetime(pin) {}
    if version > service.store.version, service.isUp {
      Simulation.fail("version \(version) is held, and \(service.store.version) is the last")
    }
  }
}

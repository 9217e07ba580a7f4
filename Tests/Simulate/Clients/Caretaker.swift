import CGatehouseSimulation
import GatehouseModel
import GatehouseSeeded
import GatehouseStorage
import Glibc

/// An operator, who checks the store and writes it anew while clients use it.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class Caretaker: @unchecked Sendable {
  private let world: World
  private var generator: SeededGenerator
  private var backups = 0

  init(in world: World) {
    self.world = world
    generator = world.scenario.generator(60)
  }

  func run() async {
    for _ in 0..<4 {
      await world.pause(1...200)
      guard let service = world.service else { continue }
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: _ = try? await service.store.compact()
      case 1: check(service)
      case 2: hold(service)
      case 3: _ = try? await service.store.shortenLog()
      case 4: intrude(service)
      default: backUp(service)
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

  /// A command that would write is refused as long as a server has the directory, and leaves it as it is.
  private func intrude(_ service: Service) {
    guard service.isUp else { return }
    do throws(StorageError) {
      _ = try Store(directory: service.directory, options: Service.storeOptions(world.scenario))
      Simulation.fail("a second process opens the directory of a server")
    } catch {
      guard case .locked = error else {
        return Simulation.fail("a second process is not told that the directory is locked, but \(error)")
      }
    }
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

  /// A backup is a store, which is as the other one was at its version.
  private func backUp(_ service: Service) {
    backups += 1
    let directory = "\(world.root)/backup-\(backups)"
    mkdir(directory, 0o700)
    sim_disk_mount(directory)
    defer { sim_disk_unmount(directory) }
    do throws(StorageError) {
      try StoreSnapshot(directory: service.directory).copy(to: "\(directory)/gatehouse.db") { _, _ in }
    } catch {
      Simulation.note("no backup: \(error)")
      return
    }
    do {
      let copy = try StoreSnapshot(directory: directory)
      let violations = try copy.check { _, _ in }
      guard violations.isEmpty else {
        return Simulation.fail("check finds \(violations.map { "\($0)" }) in a backup")
      }
      let version = try copy.version()
      Simulation.note("backup of version \(version)")
      let objects = try objects(in: copy)
      // It may have what a crash has taken back meanwhile: who makes a backup crashes with the machine.
      if service.isUp { world.note(.replica(group: nil, objects), at: version, by: "a backup") }
    } catch {
      Simulation.fail("a backup cannot be read: \(error)")
    }
  }

  private func objects(in snapshot: StoreSnapshot) throws(StorageError) -> [[String: Plain]] {
    try snapshot.images(of: "Item", after: nil, limit: 1_000).compactMap { object in
      guard case .dictionary(let entries) = object.image else { return nil }
      return Dictionary(entries.map { ($0.key, Plain($0.value)) }) { $1 }
    }.sorted { Plain.key(of: $0) < Plain.key(of: $1) }
  }
}

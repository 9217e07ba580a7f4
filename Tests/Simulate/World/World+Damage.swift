import CGatehouseSimulation
import GatehouseHTTP
import GatehouseStorage

extension World {
  /// Flips bits of the file that is left. SQLite has no checksums of pages, so that a value may be another one; but whatever
  /// happens is an error or an answer, never the end of the process, and what the file consists of is checked.
  func damage() async throws {
    let path = directory(generation)
    sim_disk_damage(path, UInt32(Int.random(in: 1...4, using: &weather)))
    situationText = "a damaged store is read"
    var isFound = false
    do throws(StorageError) {
      isFound = try !StoreSnapshot(directory: path).check { _, _ in }.isEmpty
    } catch {
      isFound = true
    }
    Simulation.note("the damage is \(isFound ? "" : "not ")found")
    do {
      let service = try await Service.open(at: path, scenario, appendingTo: transactions)
      let answer = await service.answer(
        Self.request(.get, "/v1/collections/Item?sort=_id&limit=1000"), onLoop: 0)
      if let answer, answer.status == 200, !isFound { try compareKeys(of: answer) }
      service.end()
      await service.store.close()
    } catch let error as Failure {
      throw error
    } catch {
      guard error is StorageError else { throw Failure("a damaged store throws \(error)") }
    }
  }

  /// Where nothing is found, all objects are there that were.
  private func compareKeys(of answer: Answer) throws {
    guard let log, let state = log.states.last else { return }
    let keys = try (answer.value.values ?? []).map { $0["_id"]?.integer ?? -1 }
    // Objects that were inserted after the log was read have identifiers beyond all others.
    guard keys.filter({ $0 < 10_000 }) == state.keys.filter({ $0 < 10_000 }).sorted() else {
      throw Failure(
        "a damage that check does not find shows the objects \(keys) in the place of \(state.keys.sorted())")
    }
  }
}

import CGatehouseSimulation
import GatehouseBSON
import GatehouseModel
import GatehouseStorage

// Other processes, which have the data directory while no server does.
extension World {
  /// Runs one of the commands that need the directory for themselves, which may be killed in the middle of it.
  func runProgram() async throws {
    guard transactions == nil else { return try refuse() }
    switch Int.random(in: 0..<4, using: &weather) {
    case 0: try compact()
    case 1: try await importObjects(isKilled: true)
    case 2: try await importObjects(isKilled: false)
    default: break
    }
  }

  /// The file of a member of a cluster is for who has its log.
  private func refuse() throws {
    do throws(StorageError) {
      _ = try Store(directory: directory(generation), options: Service.storeOptions(scenario))
    } catch {
      guard case .clusterMember = error else {
        throw Failure("a command is not told that the store belongs to a cluster, but \(error)")
      }
      return
    }
    throw Failure("a command opens the store of a cluster")
  }

  /// `gatehouse compact`.
  private func compact() throws {
    do throws(StorageError) {
      let outcome = try Compaction.run(directory: directory(generation))
      Simulation.note("compacted: \(outcome)")
    } catch {
      throw Failure("the store that a crash has left cannot be compacted: \(error)")
    }
  }

  /// `gatehouse import`: one transaction of many objects.
  private func importObjects(isKilled: Bool) async throws {
    let path = directory(generation)
    let store: Store
    do { store = try Store(directory: path, options: Service.storeOptions(scenario)) } catch {
      throw Failure("an import cannot open the store: \(error)")
    }
    imports += 1
    let (tag, first) = ("import-\(imports)", 30_000 + 100 * imports)
    let count = Int.random(in: 1...60, using: &weather)
    var attempt = Attempt(tag: tag, kind: .steps((first..<first + count).map { .insert($0) }))
    attempt.isRecorded = false
    begin(attempt)
    if isKilled {
      let delay = UInt64.random(in: 0...3_000_000, using: &weather)
      Simulation.scheduler.at(sim_now() + delay) { [self] in
        Simulation.note("the import is killed")
        sim_disk_crash(path, directory(generation + 1), Self.drawCrash(&weather))
      }
    }
    let operations = try (first..<first + count).map { try Self.creation(of: $0, tag: tag, in: store.schema) }
    let pieces = Pieces(operations)
    do {
      note(.acknowledged(try await store.load { pieces.next() }), of: tag)
    } catch {
      Simulation.note("\(tag): \(error)")
      if !isKilled { throw Failure("an import fails: \(error)") }
    }
    if isKilled {
      // The crash may come after the import.
      try await Task.sleep(nanoseconds: 4_000_000)
      generation += 1
      await store.close()
      return
    }
    await store.close()
  }

  private static func creation(
    of id: Int, tag: String, in schema: Schema
  ) throws -> GatehouseStorage.Operation {
    guard let type = schema["Item"] else { throw Failure("an import finds no class") }
    let json = #"{"_id":\#(id),"n":1,"tag":"\#(tag)","text":"IMPORTED","owner":"nobody","group":0}"#
    let draft = try type.draft(from: Value(json: json, as: .plain), in: schema, mode: .create)
    return .create(objectType: "Item", draft: draft, policy: .error)
  }
}

/// The operations of an import, piece by piece.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
private final class Pieces: @unchecked Sendable {
  private var rest: ArraySlice<GatehouseStorage.Operation>

  init(_ operations: [GatehouseStorage.Operation]) { rest = operations[...] }

  func next() -> [GatehouseStorage.Operation]? {
    if rest.isEmpty { return nil }
    let piece = rest.prefix(10)
    rest = rest.dropFirst(10)
    return Array(piece)
  }
}

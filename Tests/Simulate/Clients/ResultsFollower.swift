import GatehouseBSON
import GatehouseHTTP

/// A client that keeps the results of a query by what a stream tells of them.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class ResultsFollower: @unchecked Sendable {
  private let index: Int
  private let world: World
  private var objects: [Value] = []
  private var hasBegun = false
  private let stream: StreamClient

  init(_ index: Int, in world: World) {
    self.index = index
    self.world = world
    stream = StreamClient(index, in: world, world.scenario.generator(200 + UInt64(index)))
    stream.follow { [self] in
      hasBegun = false
      return World.request(.get, "\(query)&mode=results", ["accept": "text/event-stream"])
    } _: { [self] frame in
      take(StreamFrame(frame))
    }
  }

  private var query: String {
    let filter = ["", "&filter=group%20%3D%3D%201", "&filter=next.group%20%3D%3D%200"][index % 3]
    return "/v1/collections/Item?sort=-n,_id&limit=5\(filter)"
  }

  private func take(_ frame: StreamFrame) {
    guard let name = frame.name, let data = frame.data, let value = try? Value(json: data, as: .plain) else {
      return
    }
    Simulation.note("r\(index): \(name)")
    if ["initial", "update"].contains(name) { apply(value, named: name) }
  }

  private func apply(_ value: Value, named name: String) {
    func indices(_ name: String) -> [Int] { value[name]?.values?.compactMap(\.integer) ?? [] }
    func values(_ name: String) -> [Value] { value[name]?.values ?? [] }
    switch name {
    case "initial":
      objects = values("objects")
      hasBegun = true
    case "update":
      let count = objects.count - indices("deletions").count + indices("insertions").count
      guard indices("deletions").allSatisfy({ $0 < objects.count }),
        (indices("insertions") + indices("modificationsNew")).allSatisfy({ $0 < count })
      else { return Simulation.fail("r\(index) has \(objects.count) results, and is told \(value)") }
      for place in indices("deletions").reversed() { objects.remove(at: place) }
      for (place, object) in zip(indices("insertions"), values("inserted")) {
        objects.insert(object, at: place)
      }
      for (place, object) in zip(indices("modificationsNew"), values("modified")) { objects[place] = object }
    default: break
    }
  }

  /// Takes everything by the stream that it has.
  func stay() { stream.stay() }

  /// Waits until the results are those of a fresh read.
  func finish(by service: Service) async throws {
    var fresh: [Value] = []
    for _ in 0..<300 {
      guard let answer = await service.answer(World.request(.get, query), onLoop: index), answer.status == 200
      else {
        throw Failure("\(query) cannot be read")
      }
      fresh = try answer.value.values ?? []
      if hasBegun, fresh == objects { break }
      try await Task.sleep(nanoseconds: 100_000_000)
    }
    stream.finish()
    guard hasBegun, fresh == objects else {
      throw Failure("r\(index) has \(objects.count) results \(objects), and a fresh read \(fresh)")
    }
  }
}

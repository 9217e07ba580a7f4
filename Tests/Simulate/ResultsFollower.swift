import GatehouseBSON
import GatehouseHTTP

/// A client that keeps the results of a query by what a stream tells of them.
///
/// `@unchecked Sendable`. Because one thread at a time runs.
final class ResultsFollower: @unchecked Sendable {
  private let index: Int
  private let world: World
  private var objects: [Value] = []
  private var isOver = false
  private var hasBegun = false
  private var sink: Sink?

  init(_ index: Int, in world: World) {
    self.index = index
    self.world = world
    Task { await follow() }
  }

  private var query: String {
    let filter = ["", "&filter=group%20%3D%3D%201", "&filter=next.group%20%3D%3D%200"][index % 3]
    return "/v1/collections/Item?sort=-n,_id&limit=5\(filter)"
  }

  private func follow() async {
    while !isOver {
      await world.untilUp()
      guard let service = world.service, !isOver else { continue }
      let request = World.request(.get, "\(query)&mode=results", ["accept": "text/event-stream"])
      guard let answer = await service.answer(request, onLoop: index), let source = answer.source else {
        await world.pause(1...100)
        continue
      }
      hasBegun = false
      let sink = Sink(source, world.scenario.generator(200 + UInt64(index))) { [weak self] in self?.take($0) }
      self.sink = sink
      service.start(source, into: sink, onLoop: index)
      sink.beSlow(on: service, index)
      await withCheckedContinuation { done in
        sink.whenEnded { done.resume() }
        service.atEnd { sink.end() }
      }
      self.sink = nil
    }
  }

  private func take(_ frame: Substring) {
    let lines = frame.split(separator: "\n")
    guard let name = lines.first(where: { $0.hasPrefix("event: ") })?.dropFirst(7),
      let data = lines.first(where: { $0.hasPrefix("data: ") })?.dropFirst(6),
      let value = try? Value(json: String(data), as: .plain)
    else { return }
    Simulation.note("r\(index): \(name)")
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
      else { return Simulation.fail("r\(index) has \(objects.count) results, and is told \(data)") }
      for place in indices("deletions").reversed() { objects.remove(at: place) }
      for (place, object) in zip(indices("insertions"), values("inserted")) {
        objects.insert(object, at: place)
      }
      for (place, object) in zip(indices("modificationsNew"), values("modified")) { objects[place] = object }
    default: break
    }
  }

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
    isOver = true
    sink?.end()
    guard hasBegun, fresh == objects else {
      throw Failure("r\(index) has \(objects.count) results \(objects), and a fresh read \(fresh)")
    }
  }
}

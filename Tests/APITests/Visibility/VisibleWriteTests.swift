import GatehouseBSON
import GatehouseHTTP
import GatehouseSeeded
import Testing

@testable import GatehouseAPI

/// Somebody who sees a part of the objects writes: what they see becomes what it becomes where there is nothing else, and
/// what they do not see stays.
@Suite(.boundedWorlds) struct VisibleWriteTests {
  @Test(arguments: 0..<VisibilityTests.worlds)
  func `a write changes what its author sees, and nothing else`(world: Int) async throws {
    var random = SeededGenerator(seed: VisibilityTests.seed &* 3_000_017 &+ UInt64(world))
    // A write does not change who sees what.
    let all = VisibleWorld(&random, rules: [.everything, .nothing, .own])
    let gateways = try await VisibleGateways(all)
    var writes = VisibleWrite.Generator(random, all.visible)
    var before = try await Everything(gateways)
    for step in 0..<60 {
      let write = try await writes.write {
        try await gateways.pruned.send(.get, $0, gateways.administrator).text
      }
      let got = try await send(write, to: gateways.whole, by: gateways.caller)
      let expected = try await send(write, to: gateways.pruned, by: gateways.administrator)
      let what: Comment = """
        world \(world), step \(step), \(all.role): \(write)
        told \(got.status) \(got.text)
        may  \(expected.status) \(expected.text)
        """
      // Versions of objects that are shown in part are not told.
      let versions = /,"version":[0-9]+/
      let (told, may) = (got.text.replacing(versions, with: ""), expected.text.replacing(versions, with: ""))
      try #require(got.status == expected.status && told == may, what)
      try #require(got.fields["location"] == expected.fields["location"], what)
      let after = try await Everything(gateways)
      try #require(after.seen == after.expected, what)
      let losses = write.deletesObject ? [] : after.losses(since: before)
      try #require(losses.isEmpty, "\(what): \(losses)")
      before = after
    }
    await gateways.remove()
  }

  private func send(
    _ write: VisibleWrite, to fixture: Fixture, by credential: [String: String]
  ) async throws -> Answer {
    let fields = credential.merging(write.json == nil ? [:] : ["content-type": write.contentType]) { $1 }
    return try await fixture.send(write.method, write.target, fields, write.json.map { Array($0.utf8) })
  }
}

/// All objects: as the caller sees them, as they are where there is nothing else, and as they are.
private struct Everything {
  var seen: [String] = []
  var expected: [String] = []
  private var whole: [String: [Document]] = [:]
  private var visible: [String: [Document]] = [:]

  init(_ gateways: VisibleGateways) async throws {
    for name in ["Note", "Notebook", "Tag"] {
      let target = "/v1/collections/\(name)?sort=id&limit=1000"
      let caller = try await gateways.whole.send(.get, target, gateways.caller).text
      seen.append(caller)
      expected.append(try await gateways.pruned.send(.get, target, gateways.administrator).text)
      let all = try await gateways.whole.send(.get, target, gateways.operatorOfWhole).text
      whole[name] = try Everything.objects(all)
      visible[name] = try Everything.objects(caller)
    }
  }

  private static func objects(_ json: String) throws -> [Document] {
    guard case .array(let values) = try Value(json: json) else { return [] }
    return values.compactMap { if case .document(let document) = $0 { document } else { nil } }
  }

  /// Returns what the caller does not see and is not what it was in `first`.
  func losses(since first: Everything) -> [String] {
    whole.sorted { $0.key < $1.key }.flatMap { name, objects in
      (first.whole[name] ?? []).flatMap { old -> [String] in
        let id = old["id"]
        let new = objects.first { $0["id"] == id }
        guard let shownFirst = first.visible[name]?.first(where: { $0["id"] == id }) else {
          return new == old ? [] : ["\(name) \(old) is \(new.map(String.init(describing:)) ?? "gone")"]
        }
        guard let new, let shown = visible[name]?.first(where: { $0["id"] == id }) else { return [] }
        let (shownThen, shownNow) = (Value.document(shownFirst), Value.document(shown))
        return Part(stored: .document(new), shown: shownNow).losses(
          since: Part(stored: .document(old), shown: shownThen)
        )
        .map { "\(name) \(String(describing: id)): \($0)" }
      }
    }
  }
}

/// A value, and what of it is shown; nil: nothing.
private struct Part {
  let stored: Value?
  let shown: Value?

  /// Where the same is shown, the same is stored; elements that are not shown stay, and in their order.
  func losses(since first: Part) -> [String] {
    if case .document(let old)? = first.stored, case .document(let new)? = stored,
      old["$ref"] == nil, new["$ref"] == nil
    {
      return old.elements.flatMap { element in
        Part(stored: new[element.key], shown: shown?.member(element.key))
          .losses(since: Part(stored: element.value, shown: first.shown?.member(element.key)))
          .map { "\(element.key) \($0)" }
      }
    }
    if case .array(let old)? = first.stored, case .array(let new)? = stored {
      let isShownSame = first.shown == shown
      let (then, now) = (first.concealedElements(of: old), concealedElements(of: new))
      if then != now { return ["lacks \(then), has \(now)"] }
      return isShownSame && Set(old.map { "\($0)" }) != Set(new.map { "\($0)" }) ? ["\(old) is \(new)"] : []
    }
    return first.shown == shown && first.stored != stored
      ? ["\(String(describing: first.stored)) is \(String(describing: stored))"] : []
  }

  private func concealedElements(of elements: [Value]) -> [Value] {
    guard case .array(let shown)? = shown, shown.count < elements.count else { return [] }
    return elements.filter { !shown.contains($0) }
  }
}

extension Value {
  fileprivate func member(_ name: String) -> Value? {
    if case .document(let document) = self { document[name] } else { nil }
  }
}

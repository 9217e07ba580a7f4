import GatehouseConformance
import Glibc
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Puts random queries to stores of random objects, and to the evaluator; prints each that they answer differently.
/// True where there is none.
func comparePairs(_ count: Int, seed: UInt64) async throws -> Bool {
  var (answered, differences) = (0, 0)
  var round: UInt64 = 0
  while answered < count {
    let result = try await compare(seed: seed &* 1_000_003 &+ round)
    answered += result.answered
    differences += result.differences
    round += 1
    if round % 20 == 0 { print("\(answered) pairs, \(differences) differences (seed \(seed), round \(round))") }
  }
  print("\(answered) pairs, \(differences) differences (seed \(seed), \(round) stores)")
  return differences == 0
}

/// The same for the one store of a seed.
func compareStore(seed: UInt64) async throws -> Bool {
  let result = try await compare(seed: seed)
  print("\(result.answered) pairs, \(result.differences) differences (seed \(seed))")
  return result.differences == 0
}

/// 1,000 queries of one store, those that are no queries left out.
private func compare(seed: UInt64) async throws -> (answered: Int, differences: Int) {
  var template = Array("/tmp/gatehouse-pairs-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw StorageError.notWritable("/tmp") }
  let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer {
    for name in ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", "lock"] {
      unlink("\(directory)/\(name)")
    }
    rmdir(directory)
  }
  var random = RandomAllTypes(seed: seed)
  let drafts = random.drafts()
  let store = try Store(directory: directory)
  _ = try await store.apply(random.schema, destructive: false)
  _ = try await store.perform(
    Transaction(drafts.map { .create(objectType: "AllTypes", draft: $0, policy: .error) }))
  let objects = ObjectGraph(drafts, of: "AllTypes", in: random.schema).objects("AllTypes")
  let reader = try store.makeReader()
  var (answered, differences) = (0, 0)
  for _ in 0..<1_000 {
    let filter = random.filter()
    let request = QueryRequest(filter: filter, selection: FieldSelection(fields: "_key"))
    guard let plan = try? Plan(request: request, schema: random.schema, objectType: "AllTypes") else { continue }
    answered += 1
    var bytes: [UInt8] = []
    _ = try reader.page(plan, as: .json, framing: .sequence, into: &bytes)
    let expected = plan.evaluated(on: objects).map { "{\"_key\":\($0.key.value)}\n" }.joined()
    guard String(decoding: bytes, as: UTF8.self) != expected else { continue }
    differences += 1
    print("different (seed \(seed)): \(filter)")
  }
  await store.close()
  return (answered, differences)
}

import GatehouseBSON
import GatehouseConformance
import GatehouseModel
import GatehouseQuery

/// The invariants of any text that is taken for a query.
enum QueryExercise {
  /// An error lies within the text, and the same text always has the same tokens.
  static func cut(_ bytes: [UInt8]) {
    let first = Result { () throws(QueryError) in try SyntaxCheck.tokens(in: bytes) }
    let second = Result { () throws(QueryError) in try SyntaxCheck.tokens(in: bytes) }
    precondition(first == second)
  }

  /// A query in parentheses is one as well, unless it has clauses.
  static func parse(_ text: String) {
    guard let clauses = try? SyntaxCheck.clauses(in: text), clauses == 0 else { return }
    do throws(QueryError) {
      let clauses = try SyntaxCheck.clauses(in: "(\(text))")
      precondition(clauses == 0)
    } catch {
      switch error {
      case .tooDeep, .textTooLong: break
      default: preconditionFailure("\(error)")
      }
    }
  }

  private static let random = RandomAllTypes(seed: 1)
  private static let objects: [MemoryObject] = {
    var random = RandomAllTypes(seed: 1)
    return ObjectGraph(random.drafts(), of: "AllTypes", in: random.schema).objects("AllTypes")
  }()

  /// A bound query is answered and can be written, and its text, read again, has the same answer.
  static func bind(_ text: String, arguments count: Int) {
    let arguments: [Value] = [.int32(1), .string("a"), .array([.int64(1), .null]), .string("link.int")]
    let request = QueryRequest(filter: text, arguments: Array(arguments.prefix(count)))
    guard let plan = try? Plan(request: request, schema: random.schema, objectType: "AllTypes") else {
      return
    }
    let found = plan.evaluated(on: objects).map(\.key)
    precondition(found.count <= objects.count)
    let written = plan.predicate.text(in: random.schema)
    guard
      let again = try? Plan(
        request: QueryRequest(filter: written), schema: random.schema, objectType: "AllTypes")
    else { return }
    let matching = objects.filter { plan.predicate.matches($0) }.map(\.key)
    precondition(objects.filter { again.predicate.matches($0) }.map(\.key) == matching, written)
  }
}

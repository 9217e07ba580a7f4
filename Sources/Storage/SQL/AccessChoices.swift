import Model
import Query

/// The decisions made last, each asked for again when the class has changed in size or it has been used often.
struct AccessChoices {
  private struct Shape: Hashable {
    let objectType: String
    let predicate: Predicate
    let clauses: [Plan.Clause]
    let pageSize: Int?
  }

  private struct Choice {
    let access: Access
    let objects: Int
    var uses = 0
  }

  private static let mostChoices = 256
  private static let mostUses = 1_000
  private var choices: [Shape: Choice] = [:]

  /// Where to begin with the plan.
  mutating func access(_ plan: Plan, in session: ReadSession) throws(StorageError) -> Access {
    let chooser = try AccessChooser(plan, catalog: session.catalog)
    guard chooser.isQuestionable else { return .open }
    let objects = try chooser.count(in: session)
    let shape = Shape(
      objectType: plan.objectType, predicate: plan.predicate, clauses: plan.clauses, pageSize: plan.pageSize)
    if let choice = choices[shape], choice.uses < Self.mostUses,
      abs(choice.objects - objects) <= choice.objects / 8
    {
      choices[shape]?.uses += 1
      return choice.access
    }
    let access = try chooser.access(in: session)
    if choices.count >= Self.mostChoices { choices = [:] }
    choices[shape] = Choice(access: access, objects: objects)
    return access
  }
}

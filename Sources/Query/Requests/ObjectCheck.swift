public import GatehouseModel

/// A predicate that every object of a class has to meet, bound to the class.
public struct ObjectCheck: Hashable, Sendable {
  /// As the schema has it.
  public let text: String
  public let predicate: Predicate
  /// The property that it is about, if it is about one.
  public let property: Int?

  /// Reads a text, which has to be a predicate that depends on the object and those embedded in it only.
  init(_ text: String, of objectType: ObjectType, in schema: Schema) throws(CheckError.Rule) {
    let plan: Plan
    do throws(QueryError) {
      plan = try Plan(request: QueryRequest(filter: text), schema: schema, objectType: objectType.name)
    } catch {
      throw .query(error)
    }
    guard plan.clauses.isEmpty else { throw .hasClauses }
    predicate = plan.predicate
    guard predicate.looksInsideOnly(of: schema) else { throw .looksAtOthers }
    let properties = predicate.firstProperties
    self.text = text
    property = properties.count == 1 ? properties.first : nil
  }
}

/// Why a check of a schema is none.
public struct CheckError: Error, Hashable, Sendable {
  /// The rule that it breaks.
  public enum Rule: Error, Hashable, Sendable {
    case query(QueryError)
    /// SORT, DISTINCT or LIMIT, which are about many objects.
    case hasClauses
    /// It depends on other objects than those that are embedded in the one.
    case looksAtOthers
  }

  public let objectType: String
  /// Which of the class' checks, counted from 0.
  public let index: Int
  public let rule: Rule

  public init(objectType: String, index: Int, rule: Rule) {
    self.objectType = objectType
    self.index = index
    self.rule = rule
  }
}

extension Schema {
  /// Binds the checks of a class; throws the first that is none.
  public func checks(of objectType: ObjectType) throws(CheckError) -> [ObjectCheck] {
    var checks: [ObjectCheck] = []
    for (index, text) in objectType.constraints.checks.enumerated() {
      do throws(CheckError.Rule) {
        checks.append(try ObjectCheck(text, of: objectType, in: self))
      } catch {
        throw CheckError(objectType: objectType.name, index: index, rule: error)
      }
    }
    return checks
  }
}

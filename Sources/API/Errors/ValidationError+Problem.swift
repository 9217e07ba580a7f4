import GatehouseModel

extension ValidationError: ProblemRepresentable {
  var problem: Problem { Problem(ofObject: Problem.Entry.list(self, place: nil)) }
}

extension Problem {
  /// Makes the problem of content that is no object of its class; where only its keys are wrong, it says so itself.
  init(ofObject errors: [Entry]) {
    let isOfKeys = errors.allSatisfy { $0.code == Code.illegalKey.rawValue }
    self.init(
      isOfKeys && !errors.isEmpty ? .illegalKey : .invalidObject, "The content is no object of the class.",
      errors: errors)
  }
}

extension Problem.Entry {
  init(_ problem: Content.Problem) {
    self.init(problem.problem, place: problem.place)
  }

  static func list(_ error: ValidationError, place: Content.Place?) -> [Problem.Entry] {
    error.problems.map { Problem.Entry($0, place: place) }
  }

  private init(_ problem: ValidationProblem, place: Content.Place?) {
    let prefix = place?.pointer ?? ""
    let (code, detail) = problem.rule.wording
    self.init(.pointer(prefix + problem.pointer, line: place?.line), code, detail: detail)
  }
}

extension ValidationRule {
  var wording: (code: String, detail: String) {
    switch self {
    case .constraint(let constraint, let name): constraint.wording(of: name)
    case .notADocument(let found):
      ("not_a_document", "An object is expected, not a value of type \(found.rawValue).")
    case .unknownProperty: ("unknown_property", "The class has no property of that name.")
    case .repeatedProperty: ("repeated_property", "The property is given more than once.")
    case .missing: ("missing_property", "The property is required.")
    case .null: ("null_not_allowed", "The property cannot be null.")
    case .wrongType(let expected, let found):
      (
        "wrong_type",
        "A value of type \(expected.shorthand) is expected, not \(found.rawValue)\(expected.hint)"
      )
    case .outOfRange(let type): ("out_of_range", "The number is out of the range of \(type.name).")
    case .malformed(let type): ("malformed_value", "The text spells no \(type.name)\(type.hint)")
    case .illegalKey: ("illegal_key", "A map's key has no “.” and no zero byte in it, and no “$” in front.")
    case .repeatedKey: ("repeated_key", "The key is given more than once.")
    case .readOnly: ("read_only", "The property cannot be written.")
    case .inlineObject(let name):
      (
        "inline_object",
        "A link to an object of class “\(name)” is that object's primary key, not the object."
      )
    case .malformedReference:
      ("malformed_reference", "A reference is {\"$ref\": class, \"$id\": primary key}.")
    case .wrongReference(let name):
      ("wrong_reference", "A reference to an object of class “\(name)” is expected.")
    case .unknownClass: ("unknown_class", "The reference names a class that the schema does not have.")
    case .embeddedReference(let name):
      ("embedded_reference", "Objects of class “\(name)” live inside others and cannot be linked to.")
    case .asymmetricReference(let name):
      ("asymmetric_reference", "Objects of the asymmetric class “\(name)” cannot be linked to.")
    case .collectionInSet: ("collection_in_set", "A set holds no lists or dictionaries.")
    case .illegalIdentifier:
      ("illegal_identifier", "A list identifies no document, nor does a link, or what a link is a part of.")
    case .unsupportedType(let found):
      ("unsupported_type", "No property holds values of type \(found.rawValue).")
    case .unsupportedSubtype(let subtype):
      (
        "unsupported_subtype",
        "A mixed property holds no binary data of subtype \(subtype), only of subtype 0."
      )
    case .tooDeep(let limit): ("too_deep", "Values may be nested in at most \(limit) levels.")
    case .notAnArray(let found):
      ("not_an_array", "An array is expected, not a value of type \(found.rawValue).")
    case .unknownOperation: ("unknown_operation", "There is no such operation.")
    case .memberMissing: ("member_missing", "The operation lacks this member.")
    case .malformedPath: ("malformed_path", "This is no path to a place in the object.")
    case .noPath: ("no_path", "The path leads into a value that has no parts.")
    case .conflictingPath: ("conflicting_path", "The same place would be changed twice, or hold itself.")
    case .operationUnsupported:
      ("operation_unsupported", "The operation means nothing for values of this type.")
    case .overflow: ("overflow", "The sum does not fit into 64 bits.")
    case .tooMuchWork:
      ("too_much_work", "The edit copies, moves or looks through more values than one edit may.")
    }
  }
}

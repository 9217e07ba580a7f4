import GatehouseAccess

extension AccessError: ProblemRepresentable {
  /// Tells a caller what they may not do. Names of classes, and of properties that are shown, are no secret: the schema is
  /// for all who have a role.
  var problem: Problem { Problem(code, detail) }

  private var code: Problem.Code {
    if case .asymmetric = self { .asymmetricClass } else { .forbidden }
  }

  private var detail: String {
    switch self {
    case .administration: "This takes the administrator's role."
    case .metrics: "This takes the role “metrics”, or the administrator's."
    case .recordingEvents: "This takes a role with “recordsEvents”."
    case .reading(let name): "The caller's role does not let them read objects of class “\(name)”."
    case .writing(let name): "The caller's role does not let them write objects of class “\(name)”."
    case .asymmetric(let name): "Clients only create objects of the asymmetric class “\(name)”, and see none."
    case .creating(let name): "The caller's role does not let them make objects of class “\(name)”."
    case .writingProperty(let type, let name):
      "The caller's role does not let them write “\(name)” of class “\(type)”."
    case .overview: "This is for those who may see everything that it tells of."
    }
  }
}

extension PolicyError: ProblemRepresentable {
  var problem: Problem {
    let (code, detail) = rule.wording
    let entry = Problem.Entry(.pointer(pointer, line: nil), code, detail: detail)
    return Problem(.invalidContent, "The content is no document of roles.", errors: [entry])
  }
}

extension PolicyError.Rule {
  fileprivate var wording: (code: String, detail: String) {
    switch self {
    case .notADocument: ("not_a_document", "An object is expected.")
    case .unknownMember: ("unknown_member", "This member means nothing here.")
    case .wrongType: ("wrong_type", "true, false, or for a class a filter is expected.")
    case .builtInRole: ("built_in_role", "This role is there always, and cannot be another one.")
    case .unknownClass: ("unknown_class", "The schema has no such class.")
    case .embeddedClass: ("embedded_class", "Rights are given for the class whose objects hold these.")
    case .unknownProperty: ("unknown_property", "The class has no such property.")
    case .contradiction:
      ("contradiction", "A primary key is always shown, and what is not shown is not written either.")
    case .notACount: ("not_a_count", "An integer from 0 on is expected.")
    case .clauses: ("clauses", "The filter sorts or limits.")
    case .filter(let error): (error.wording.code, error.wording.detail)
    }
  }
}

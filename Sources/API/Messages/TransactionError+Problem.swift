extension Problem.Entry {
  init(_ error: TransactionError) {
    let (code, detail) = error.rule.wording
    self.init(.pointer(error.pointer, line: nil), code, detail: detail)
  }
}

extension TransactionError.Rule {
  fileprivate var wording: (code: String, detail: String) {
    switch self {
    case .notADocument: ("not_a_document", "An object is expected.")
    case .notAnArray: ("not_an_array", "An array is expected.")
    case .memberMissing: ("member_missing", "This member is missing.")
    case .unknownMember: ("unknown_member", "This member means nothing here.")
    case .unknownOperation: ("unknown_operation", "There is no such operation.")
    case .memberOfWrongType: ("member_of_wrong_type", "The member has a value of the wrong type.")
    case .contradictoryMember: ("contradictory_member", "Only one of “set”, “patch” and “edit” may be given.")
    case .unknownClass: ("unknown_class", "The schema has no such class.")
    case .path(let error): (error.wording.code.rawValue, error.wording.detail)
    case .pathOfWrongType: ("path_of_wrong_type", "The path leads to nothing that the operation can change.")
    case .embeddedClass: ("embedded_class", "Objects of this class live inside others.")
    }
  }
}

import GatehouseDocuments
import GatehouseModel

extension DataSourceError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .unknownService: Problem(.functionNotFound, "There is no data source of that name.")
    case .unknownCommand: Problem(.functionNotFound, "Data sources have no command of that name.")
    case .notArguments:
      Problem(.invalidParameter, "A command of a data source has one argument, which is a document.")
    case .missingMember(let name): Problem(.missingParameter, "The command lacks its member “\(name)”.")
    case .wrongMember(let name, let expected):
      Problem(.invalidParameter, "The member “\(name)” of the command has to be \(expected).")
    case .unknownMember: Problem(.invalidParameter, "The command has a member that means nothing to it.")
    case .language(let error): Problem(error.isTimeLimit ? .timeLimit : .invalidQuery, error.text)
    case .noRule(let namespace):
      Problem(.forbidden, "no rule exists for namespace '\(namespace)'")
    case .notPermitted(let change, let namespace):
      Problem(.forbidden, "\(change.rawValue) not permitted for namespace '\(namespace)'")
    case .noDocuments: Problem(.invalidParameter, "must provide at least one element")
    case .duplicateKey(let namespace):
      Problem(
        .objectExists, "Duplicate key error: E11000 duplicate key error collection: \(namespace)")
    case .invalidDocument(let error): error.problem
    case .writeConflict:
      Problem(.overloaded, "(WriteConflict) Others change the same documents again and again.")
    case .illegalCollection(let namespace):
      Problem(
        .invalidParameter,
        "(InvalidNamespace) Invalid collection name: '\(namespace)'. A collection is a class here, whose name has at most \(Schema.longestClassName) bytes, none of . / ? [ ] < > { } and no _ or $ at its beginning, and is not that of a type."
      )
    case .twoIdentifiers(let name):
      Problem(
        .invalidObject,
        "Class “\(name)” has a property “_id” that is not its primary key: its objects are no documents.")
    }
  }

  /// The text and the code by which clients of App Services know it.
  var wording: (text: String, code: String?) {
    switch self {
    case .unknownService(let name): ("service not found: '\(name)'", "ServiceNotFound")
    case .unknownCommand(let name): ("command not found: '\(name)'", "ServiceCommandNotFound")
    case .notArguments, .wrongMember, .noDocuments: (problem.detail, "InvalidParameter")
    case .unknownMember(let name): ("unknown member of the command: '\(name)'", "InvalidParameter")
    case .missingMember(let name): ("missing required parameter '\(name)'", "MissingParameter")
    case .language(let error):
      (error.text, error.isTimeLimit ? "ExecutionTimeLimitExceeded" : "MongoDBError")
    case .noRule, .notPermitted: (problem.detail, "NoMatchingRuleFound")
    case .duplicateKey, .writeConflict, .illegalCollection: (problem.detail, "MongoDBError")
    case .invalidDocument, .twoIdentifiers: (problem.summary, "SchemaValidationFailedWrite")
    }
  }

  /// MongoDB's number of the error; nil: it is none of MongoDB's.
  var number: Int? {
    switch self {
    case .language(let error): error.code.number
    case .duplicateKey: 11_000
    case .writeConflict: 112
    case .illegalCollection: 73
    case .unknownService, .unknownCommand, .notArguments, .missingMember, .wrongMember, .unknownMember,
      .noRule,
      .notPermitted, .noDocuments, .invalidDocument, .twoIdentifiers:
      nil
    }
  }
}

extension InsertionError: ProblemRepresentable {
  var problem: Problem { Problem(reason) }
}

extension DocumentsError {
  /// MongoDB's name of the error, and its words.
  fileprivate var text: String { "(\(code.name)) \(message)" }

  fileprivate var isTimeLimit: Bool { code == .exceededTimeLimit }
}

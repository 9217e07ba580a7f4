import GatehouseBSON
import GatehouseModel
import GatehouseStorage

extension StorageError: ProblemRepresentable {
  var problem: Problem {
    switch self {
    case .notADirectory, .storeNotFound, .notWritable, .locked, .unknownFormat, .backupExists,
      .unfinishedRestore:
      return Problem(.storeUnavailable, "The store cannot be used now.")
    case .syncFailed:
      return Problem(
        .storeUnavailable,
        "The disk failed to keep what was written; nothing is written until the server is started anew.")
    case .diskFull:
      return Problem(.storageFull, "There is no room to store this; nothing of it was stored.")
    case .reserveExceeded:
      return Problem(
        .storageFull,
        "The disk is full, and this needs more room than is kept for deletions; nothing was deleted. Delete fewer at a time."
      )
    // SQLITE_READONLY, SQLITE_IOERR and SQLITE_CANTOPEN: nothing was stored, and it may work later.
    case .sqlite(let code, _) where [8, 10, 14].contains(code & 0xff):
      return Problem(.storeUnavailable, "The store's file cannot be read or written now.")
    case .sqlite:
      return Problem(.storageFailure, "The store failed; the log knows more.")
    // A fault of the program that the gateway is part of.
    case .nestedWrite:
      return Problem(.storageFailure, "The store failed; the log knows more.")
    case .corrupt:
      return Problem(.storageCorrupt, "The store's file is damaged.")
    case .unknownClass(let name):
      return APIError.unknownClass(name: name, nearest: nil).problem
    case .embeddedClass(let name):
      return APIError.embeddedClass(name).problem
    case .objectNotFound(let name, _):
      return Problem(.objectNotFound, "Class “\(name)” has no object with that identifier.")
    case .objectExists(let name, _):
      return Problem(.objectExists, "Class “\(name)” has an object with that primary key already.")
    case .linkTargetNotFound(let name, _):
      return Problem(.linkTargetNotFound, "A link leads to an object of class “\(name)” that does not exist.")
    case .primaryKeyChanged(let name, _):
      return Problem(.primaryKeyChanged, "The primary key of an object of class “\(name)” cannot change.")
    case .versionMismatch(let current):
      let state = current == nil ? "does not exist" : "is not in the state that the request depends on"
      return Problem(.preconditionFailed, "The object \(state).")
    case .keysExhausted(let name):
      let detail =
        "An object of class “\(name)” has the largest primary key that there is: the next has to be given."
      return Problem(.keysExhausted, detail)
    case .keyOutOfRange:
      return Problem(.keyOutOfRange, "No object can have that _key.")
    case .destructiveChange(let changes):
      return Problem(
        .destructiveChange, "This would lose data, or objects could not follow; “destructive=true” does it.",
        errors: changes.map(Problem.Entry.init))
    case .unconvertible(let values):
      return Problem(
        .destructiveChange,
        "Objects have values that the schema cannot keep, of which these are the first; nothing was changed. "
          + (values.allSatisfy(\.isLosable)
            ? "“destructive=true” makes null of them, or the property's default."
            : "Elements that may not be null have to be changed first."),
        errors: values.map(Problem.Entry.init))
    case .incomputable(let value):
      return Problem(
        .schemaConflict, "What an expression gives, its property cannot hold; nothing was changed.",
        errors: [Problem.Entry(value)])
    case .transformFailed(let name, let id, let reason):
      return Problem(
        .schemaConflict, "The function that changes objects of class “\(name)” failed; nothing was changed.",
        errors: [Problem.Entry(of: id, objectType: name, transformFailed: reason)])
    case .schemaConflict(let conflict):
      return conflict.problem
    case .notUnique(let violation):
      return violation.problem
    case .rulesBroken(let broken):
      return Problem(
        .schemaConflict,
        "Objects break rules that the schema has for them, of which these are the first; nothing was changed.",
        errors: broken.map(Problem.Entry.init))
    case .invalidCheck(let error):
      return error.problem
    case .schemaChanged:
      return Problem(.schemaChanged, "The schema changed while the request was being read; nothing was done.")
    case .cancelled:
      return Problem(.cancelled, "The transaction or query was given up.")
    case .invalid(let error):
      return error.problem
    case .inapplicable(let error):
      return error.problem(in: nil)
    case .place(let error):
      return error.problem
    case .idempotencyKeyReused:
      return Problem(.idempotencyKeyReused, "That Idempotency-Key was used for another request.")
    case .invalidCursor:
      return APIError.invalidCursor.problem
    case .cursorExpired:
      return Problem(.cursorExpired, "The place that the cursor stands for is no longer known.")
    case .positionExpired:
      return Problem(.positionExpired, "The change log does not have everything since that position.")
    case .versionAhead:
      return Problem(.versionAhead, "The store has not come to that version, or time, yet.")
    case .pastUnavailable(let failure):
      return Problem(.versionUnavailable, failure.detail)
    case .invalidRename(let rename):
      let detail =
        "“\(rename.objectType)” has no property “\(rename.from)”, or it stays, or “\(rename.to)” is not new."
      return Problem(.invalidRename, detail)
    case .invalidClassRename(let rename):
      let detail = "There is no class “\(rename.from)”, or it stays, or “\(rename.to)” is not new."
      return Problem(.invalidRename, detail)
    case .unsortable(let name):
      let detail = "A path of class “\(name)” leads to no single value, so that there is no order."
      return Problem(
        .invalidQuery, "The parameter “\(Parameters.Name.sort.rawValue)” is no query.",
        errors: [
          Problem.Entry(.parameter(Parameters.Name.sort.rawValue, offset: nil), "unsortable", detail: detail)
        ])
    case .tooManySections(let limit):
      return Problem(
        .invalidQuery, "The parameter “\(Parameters.Name.sectionBy.rawValue)” is no query.",
        errors: [
          Problem.Entry(
            .parameter(Parameters.Name.sectionBy.rawValue, offset: nil), "too_many_sections",
            detail: "There are more than \(limit) sections, which are more than can be counted.")
        ])
    case .tooLarge:
      return Problem(
        .objectTooLarge, "The object does not fit into one BSON document; JSON has no such bound.")
    case .answerTooLarge(let limit):
      let detail = """
        With the objects in place of links the answer has more than \(limit >> 20) MiB. Follow fewer links, or show less of \
        each object.
        """
      return Problem(.answerTooLarge, detail)
    case .objectTooLarge(let name, let limit):
      let detail =
        "An object of class “\(name)” would have more than \(limit) bytes (limits.objectBytes); nothing was changed."
      return Problem(.objectSizeExceeded, detail)
    case .tooManyObjects(let limit):
      let detail = """
        More than \(limit) objects match, or what they would become, or were, is more than may be written or recorded at \
        once (limits.bulkObjects); nothing was changed. A filter that ends with LIMIT(\(limit)), or less, does a part of them.
        """
      return Problem(.tooManyObjects, detail)
    case .quotaExceeded(let excess):
      return excess.problem
    case .notPermitted(let name, _):
      let detail = "The caller's role does not let them change this object of class “\(name)”, or make it so."
      return Problem(.forbidden, detail)
    case .appendOnlyClass(let name):
      return Problem(.guardedClass, "Nobody can write objects of class “\(name)”, nor change the class.")
    case .keyOfOtherStore(let name, _):
      return Problem(.otherShard, "Another shard has the objects of class “\(name)” with that primary key.")
    case .classOutOfBounds(let name):
      return Problem(.classInOtherGroup, "The class “\(name)” is for another group of the app.")
    case .commitHookFailed:
      return Problem(.notRecorded, "What happened could not be recorded, so that it did not happen.")
    case .refused(let refusal):
      return refusal.problem
    case .clusterMember, .rowsNotObservable, .diverged, .invalidEntry, .noticeFailed:
      return Problem(.storeUnavailable, "The store cannot be used now.")
    case .notLeading:
      return APIError.notLeader.problem
    case .logUnavailable:
      return Problem(
        .storeUnavailable, "The servers that keep what is written cannot be reached; nothing was done.")
    case .outcomeUnknown:
      return Problem(
        .outcomeUnknown,
        "Nobody knows whether this was done: repeat it with the same Idempotency-Key, or look.")
    case .timeLimit:
      return Problem(.timeLimit, "The request took too long.")
    }
  }
}

extension UniqueViolation {
  /// The bytes of values that a problem repeats.
  private static let mostBytes = 1024

  fileprivate var problem: Problem {
    let names = properties.map { "“\($0)”" }.joined(separator: ", ")
    let what = properties.isEmpty ? "values that must be unique" : "the same \(names)"
    var problem = Problem(.notUnique, "Another object of class “\(objectType)” has \(what).")
    problem.members = [
      "class": .string(objectType), "properties": .array(properties.map { .string($0) }),
    ]
    let values = Value.array(values.map { $0.value { _ in .null } })
    if !self.values.isEmpty, values.plainJSON.count <= Self.mostBytes {
      problem.members.append("values", values)
    }
    return problem
  }
}

extension SchemaConflict {
  fileprivate var problem: Problem {
    let names = properties.map { "“\($0)”" }.joined(separator: ", ")
    var problem = Problem(
      .schemaConflict,
      "Objects cannot follow the schema: several of class “\(objectType)” have the same \(names).")
    problem.members = [
      "class": .string(objectType), "properties": .array(properties.map { .string($0) }),
      "duplicates": .array(
        duplicates.map { duplicates in
          let keys = duplicates.ids.map { $0.value { _ in .null } }
          return .document(["keys": .array(keys), "count": .int64(Int64(duplicates.count))])
        }),
    ]
    return problem
  }
}

extension PastFailure {
  fileprivate var detail: String {
    switch self {
    case .schemaChanged: "A change of the schema since then has dropped values, which nobody knows any more."
    case .tooManyChanges: "More has changed since then than can be undone for one answer."
    case .tooLarge: "The objects that the answer depends on take more room than a copy of them may."
    }
  }
}

extension QuotaExcess {
  fileprivate var problem: Problem {
    let most = measure == .objects ? "\(allowed) objects" : "objects of \(allowed) bytes in all"
    let now = used.map { " (\($0) now)" } ?? ""
    var problem = Problem(
      .quotaExceeded,
      "The caller may have \(most) of class “\(objectType)”\(now), and would have more; nothing was changed.")
    problem.members = [
      "class": .string(objectType), "measure": .string(measure.rawValue), "allowed": .int64(Int64(allowed)),
    ]
    if let used { problem.members.append("used", .int64(Int64(used))) }
    return problem
  }
}

extension OperationError: ProblemRepresentable {
  var problem: Problem { reason.problem }
}

extension WriteError: ProblemRepresentable {
  /// The problem of one of several objects or operations.
  var problem: Problem {
    var problem = reason.problem
    guard let place else { return problem }
    switch reason {
    case .invalid(let error): problem.errors = Problem.Entry.list(error, place: place)
    case .inapplicable(let error): problem = error.problem(in: place)
    case .idempotencyKeyReused: break
    default:
      problem.errors = [
        Problem.Entry(
          .pointer(place.pointer, line: place.line), problem.code.rawValue, detail: problem.detail)
      ]
    }
    return problem
  }
}

extension EditConflict {
  /// The problem of an edit that does not fit the object at that place of the content.
  fileprivate func problem(in place: Content.Place?) -> Problem {
    let (code, detail): (Problem.Code, String) =
      switch reason {
      case .testFailed: (.patchTestFailed, "The object holds another value than the test expects.")
      case .pathNotFound: (.patchPathNotFound, "The path leads nowhere in the object.")
      case .valueUnsuitable: (.patchValueUnsuitable, "The object holds a value that this cannot be done to.")
      }
    let pointer = (place?.pointer ?? "") + pointer
    return Problem(
      code, detail,
      errors: [Problem.Entry(.pointer(pointer, line: place?.line), code.rawValue, detail: detail)])
  }
}

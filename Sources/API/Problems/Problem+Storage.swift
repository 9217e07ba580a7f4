import Model
import Storage

extension Problem {
  init(_ error: StorageError) {
    switch error {
    case .notADirectory, .storeNotFound, .notWritable, .locked, .unknownFormat, .backupExists:
      self.init(.storeUnavailable, "The store cannot be used now.")
    case .diskFull:
      self.init(.storageFull, "There is no room to store this; nothing of it was stored.")
    // SQLITE_READONLY, SQLITE_IOERR and SQLITE_CANTOPEN: nothing was stored, and it may work later.
    case .sqlite(let code, _) where [8, 10, 14].contains(code & 0xff):
      self.init(.storeUnavailable, "The store's file cannot be read or written now.")
    case .sqlite:
      self.init(.storageFailure, "The store failed; the log knows more.")
    case .corrupt:
      self.init(.storageCorrupt, "The store's file is damaged.")
    case .unknownClass(let name):
      self.init(unknownClass: name, nearest: nil)
    case .embeddedClass(let name):
      self.init(APIError.embeddedClass(name))
    case .objectNotFound(let name, _):
      self.init(.objectNotFound, "Class “\(name)” has no object with that identifier.")
    case .objectExists(let name, _):
      self.init(.objectExists, "Class “\(name)” has an object with that primary key already.")
    case .linkTargetNotFound(let name, _):
      self.init(.linkTargetNotFound, "A link leads to an object of class “\(name)” that does not exist.")
    case .primaryKeyChanged(let name, _):
      self.init(.primaryKeyChanged, "The primary key of an object of class “\(name)” cannot change.")
    case .versionMismatch(let current):
      let state = current == nil ? "does not exist" : "is not in the state that the request depends on"
      self.init(.preconditionFailed, "The object \(state).")
    case .keyOutOfRange:
      self.init(.keyOutOfRange, "No object can have that _key.")
    case .destructiveChange(let changes):
      self.init(
        .destructiveChange, "This would lose data, or objects could not follow; “destructive=true” does it.",
        errors: changes.map(Entry.init))
    case .schemaConflict:
      self.init(.schemaConflict, "Objects cannot follow the schema: two would have the same primary key.")
    case .schemaChanged:
      self.init(.schemaChanged, "The schema changed while the request was being read; nothing was done.")
    case .cancelled:
      self.init(.cancelled, "The transaction or query was given up.")
    case .invalid(let error):
      self.init(error)
    case .inapplicable(let error):
      self.init(error, in: nil)
    case .place(let error):
      self.init(error)
    case .idempotencyKeyReused:
      self.init(.idempotencyKeyReused, "That Idempotency-Key was used for another request.")
    case .invalidCursor:
      self.init(APIError.invalidCursor)
    case .cursorExpired:
      self.init(.cursorExpired, "The place that the cursor stands for is no longer known.")
    case .positionExpired:
      self.init(.positionExpired, "The change log does not have everything since that position.")
    case .invalidRename(let rename):
      let detail =
        "“\(rename.objectType)” has no property “\(rename.from)”, or it stays, or “\(rename.to)” is not new."
      self.init(.invalidRename, detail)
    case .unsortable(let name):
      let detail = "A path of class “\(name)” leads to no single value, so that there is no order."
      self.init(
        .invalidQuery, "The parameter “sort” is no query.",
        errors: [Entry(.parameter("sort", offset: nil), "unsortable", detail)])
    case .tooManySections(let limit):
      self.init(
        .invalidQuery, "The parameter “sectionBy” is no query.",
        errors: [
          Entry(
            .parameter("sectionBy", offset: nil), "too_many_sections",
            "There are more than \(limit) sections, which are more than can be counted.")
        ])
    case .tooLarge:
      self.init(.objectTooLarge, "The object does not fit into one BSON document; JSON has no such bound.")
    case .objectTooLarge(let name, let limit):
      let detail =
        "An object of class “\(name)” would have more than \(limit) bytes (limits.objectBytes); nothing was changed."
      self.init(.objectSizeExceeded, detail)
    case .tooManyObjects(let limit):
      let detail = """
        More than \(limit) objects match, or what they would become has more than \(limit) KiB (limits.bulkObjects); \
        nothing was changed. A filter that ends with LIMIT(\(limit)), or less, does a part of them.
        """
      self.init(.tooManyObjects, detail)
    case .notPermitted(let name, _):
      let detail = "The caller's role does not let them change this object of class “\(name)”, or make it so."
      self.init(.forbidden, detail)
    case .appendOnlyClass(let name):
      self.init(.guardedClass, "Nobody can write objects of class “\(name)”, nor change the class.")
    case .commitHookFailed:
      self.init(.notRecorded, "What happened could not be recorded, so that it did not happen.")
    case .refused(let refusal):
      self.init(refusal)
    case .timeLimit:
      self.init(.timeLimit, "The request took too long.")
    }
  }

  /// A problem with one of several objects or operations.
  init(_ failure: WriteFailure) {
    self.init(failure.reason)
    guard let place = failure.place else { return }
    switch failure.reason {
    case .invalid(let error): errors = Entry.list(error, place: place)
    case .inapplicable(let error): self.init(error, in: place)
    case .idempotencyKeyReused: break
    default: errors = [Entry(.pointer(place.pointer, line: place.line), code.rawValue, detail)]
    }
  }

  /// An edit that does not fit the object.
  private init(_ error: EditConflict, in place: Content.Place?) {
    let (code, detail): (Code, String) =
      switch error.reason {
      case .testFailed: (.patchTestFailed, "The object holds another value than the test expects.")
      case .pathNotFound: (.patchPathNotFound, "The path leads nowhere in the object.")
      case .valueUnsuitable: (.patchValueUnsuitable, "The object holds a value that this cannot be done to.")
      }
    let pointer = (place?.pointer ?? "") + error.pointer
    self.init(code, detail, errors: [Entry(.pointer(pointer, line: place?.line), code.rawValue, detail)])
  }
}

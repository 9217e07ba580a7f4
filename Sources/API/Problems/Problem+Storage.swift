import Model
import Storage

extension Problem {
  init(_ error: StorageError) {
    switch error {
    case .notADirectory, .notWritable, .locked, .unknownFormat:
      self.init(.storeUnavailable, "The store cannot be used now.")
    case .sqlite:
      self.init(.storageFailure, "The store failed; the log knows more.")
    case .corrupt:
      self.init(.storageCorrupt, "The store's file is damaged.")
    case .unknownClass(let name):
      self.init(unknownClass: name, nearest: nil)
    case .embeddedClass(let name):
      self.init(Refusal.embeddedClass(name))
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
    case .schemaConflict:
      self.init(
        .schemaConflict,
        "The change would lose data or make objects invalid; “destructive=true” makes it nevertheless.")
    case .cancelled:
      self.init(.cancelled, "The transaction was given up.")
    case .invalid(let error):
      self.init(error)
    case .cursorExpired:
      self.init(.cursorExpired, "The place that the cursor stands for is no longer known.")
    case .timeLimit:
      self.init(.timeLimit, "The request took too long.")
    }
  }

  /// A problem with one of several objects.
  init(_ failure: CreateObjects.Failure) {
    self.init(failure.reason)
    guard let place = failure.place else { return }
    if case .invalid(let error) = failure.reason {
      errors = Fault.list(error, place: place)
    } else {
      errors = [Fault(.pointer("/\(place.element)", line: place.line), code.rawValue, detail)]
    }
  }
}

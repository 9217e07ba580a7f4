import Access
import Audit
import BSON
import Functions
import HTTP
import Model
import Query
import Sharing
import Storage

extension Problem {
  /// What any error of the targets below is to a client. An error that is not known here is our mistake.
  init(_ error: any Error) {
    switch error {
    case let error as APIError: self.init(error)
    case let error as AccessError: self.init(error)
    case let error as PolicyError: self.init(error)
    case let error as UserError: self.init(error)
    case let error as PercentEncodingError: self.init(error)
    case let error as BodyError: self.init(error)
    case let error as SharingError: self.init(error)
    case let error as ValidationError: self.init(error)
    case let error as SchemaError: self.init(error)
    case let error as QueryError: self.init(error)
    case let error as StorageError: self.init(error)
    case let error as OperationError: self.init(error.reason)
    case let error as WriteFailure: self.init(error)
    case let error as AuditError: self.init(error)
    case let error as FunctionError: self.init(error)
    case let error as AppServicesError: self.init(error)
    default: self.init(.internalError, "Something went wrong here; the log knows more.")
    }
  }

  private init(_ error: PercentEncodingError) {
    switch error {
    case .incompleteTriplet:
      self.init(.malformedTarget, "The URL has a % that is not followed by two hexadecimal digits.")
    case .null:
      self.init(.malformedTarget, "The URL has a %00 in it.")
    case .invalidUTF8:
      self.init(.malformedTarget, "What the URL percent-encodes is not UTF-8.")
    }
  }

  /// There is too much to do, in all or for this caller.
  init(_ refusal: SharingError) {
    switch refusal {
    case .exhausted:
      self.init(.overloaded, "There is too much to do now; nothing of this was done.")
    case .share:
      self.init(
        .shareExceeded, "What this caller has asked for already takes its share; nothing of this was done.",
        fields: [Fields.Line(name: "retry-after", value: "1")])
    }
  }

  private init(_ error: BodyError) {
    switch error {
    case .tooLarge(let limit):
      self.init(.contentTooLarge, "The content of a request may have at most \(limit) bytes.")
    case .incomplete:
      self.init(.incompleteContent, "The content ended too early.")
    }
  }
}

import GatehouseBSON
import GatehouseDocuments
import GatehouseModel

/// Why `insertMany` ended before its last document.
struct InsertionError: Error {
  /// The place of the document that could not be inserted, from 0. Those before it are.
  let index: Int
  /// The identifiers of these.
  let inserted: [Value]
  let reason: any Error
}

/// Why a command of a data source is not performed, beside what the store has against it.
enum DataSourceError: Error, Hashable {
  /// A kind of change that a caller may not make.
  enum Change: String, Hashable, Sendable {
    case insert, update, delete
  }

  /// There is no data source of that name.
  case unknownService(String)
  case unknownCommand(String)
  /// The arguments of a command are not one document.
  case notArguments
  case missingMember(String)
  case wrongMember(String, expected: String)
  case unknownMember(String)
  /// The language of filters, updates and pipelines has no meaning for it.
  case language(DocumentsError)
  /// The caller may not know whether there is such a collection.
  case noRule(Namespace)
  case notPermitted(Change, Namespace)
  /// `insertMany` of nothing.
  case noDocuments
  /// Another document has the identifier, or other values that must be unique.
  case duplicateKey(Namespace)
  /// The document is no object of the class.
  case invalidDocument(ValidationError)
  /// Others changed the same documents each time.
  case writeConflict
  /// No class has the name of the collection, and none may have: the name is too long, or has a letter that a class' has not.
  case illegalCollection(Namespace)
  /// The class has a property `_id` beside its primary key, so that its objects are no documents.
  case twoIdentifiers(objectType: String)
}

import GatehouseBSON
import GatehouseModel

/// A class whose objects are documents: the primary key is `_id`, whatever its name, and comes first; the other properties
/// have their names, links are primary keys of what they lead to, and embedded objects are documents.
struct DocumentClass: Sendable {
  static let idName = "_id"

  let type: ObjectType
  let schema: Schema
  /// The name of what identifies an object.
  let keyName: String

  /// Throws ``DataSourceError/twoIdentifiers(objectType:)``.
  init(_ type: ObjectType, in schema: Schema) throws(DataSourceError) {
    self.type = type
    self.schema = schema
    keyName = type.primaryKey?.name ?? ObjectType.keyName
    if keyName != Self.idName, type[Self.idName] != nil { throw .twoIdentifiers(objectType: type.name) }
  }

  /// Returns the document that clients see of an object as it is read.
  func document(of object: Document) -> Document {
    guard let index = object.elements.firstIndex(where: { $0.key == keyName }) else { return object }
    if index == 0, keyName == Self.idName { return object }
    var document = object
    let id = document.elements.remove(at: index).value
    document.elements.insert(Document.Element(key: Self.idName, value: id), at: 0)
    return document
  }

  /// Returns a document as the class reads it. Throws where it has a member of the primary key's name, which is a field that
  /// there is not.
  func object(of document: Document) throws(DataSourceError) -> Document {
    if keyName == Self.idName { return document }
    if document[keyName] != nil { throw invalid("/\(keyName)", .unknownProperty) }
    var object = document
    for index in object.elements.indices where object.elements[index].key == Self.idName {
      object.elements[index].key = keyName
    }
    return object
  }

  /// Returns the identifier of a document.
  func identifier(of document: Document) throws(DataSourceError) -> Mixed {
    do {
      return try type.identifier(from: document[Self.idName] ?? .null, in: schema)
    } catch {
      throw .invalidDocument(error)
    }
  }

  /// Returns the object that a document is to be.
  func draft(
    of document: Document, mode: ObjectType.DraftMode
  ) throws(DataSourceError) -> ObjectDraft {
    let object = try object(of: document)
    do {
      return try type.draft(from: .document(object), in: schema, mode: mode)
    } catch {
      throw .invalidDocument(error)
    }
  }

  private func invalid(_ pointer: String, _ rule: ValidationRule) -> DataSourceError {
    .invalidDocument(ValidationError([ValidationProblem(pointer: pointer, rule)]))
  }
}

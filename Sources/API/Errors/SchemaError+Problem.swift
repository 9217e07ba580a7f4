import GatehouseBSON
import GatehouseModel
import GatehouseStorage

extension SchemaError: ProblemRepresentable {
  var problem: Problem {
    let entries = problems.map { problem in
      let (code, detail) = problem.rule.wording
      return Problem.Entry(
        .schema(objectType: problem.objectType, property: problem.property), code, detail: detail)
    }
    return Problem(.invalidSchema, "The content is no valid schema.", errors: entries)
  }
}

extension SchemaRule {
  fileprivate var wording: (code: String, detail: String) {
    switch self {
    case .notAnArray: ("not_an_array", "A schema is an array of classes.")
    case .notADocument(let position): ("not_a_document", "Class \(position), from 0, is not an object.")
    case .nameMissing(let position): ("name_missing", "Class \(position), from 0, has no name.")
    case .memberUnknown(let name): ("member_unknown", "“\(name)” means nothing here.")
    case .memberMissing(let name): ("member_missing", "“\(name)” is missing.")
    case .memberRepeated(let name): ("member_repeated", "“\(name)” is there more than once.")
    case .memberOfWrongType(let name): ("member_of_wrong_type", "“\(name)” has a value of the wrong type.")
    case .memberNotAllowed(let name): ("member_not_allowed", "“\(name)” makes no sense for this type.")
    case .malformedType: ("malformed_type", "The type is spelt in none of the known ways.")
    case .contradictoryOptional: ("contradictory_optional", "The type has a “?”, but “optional” is false.")
    case .malformedProperty: ("malformed_property", "A property is a type's name or an object.")
    case .illegalName(let entry): ("illegal_name", "The name \(entry.wording).")
    case .illegalStoredName(let entry): ("illegal_stored_name", "The name in “mapTo” \(entry.wording).")
    case .duplicateClass: ("duplicate_class", "There are two classes of that name.")
    case .duplicateProperty: ("duplicate_property", "There are two properties of that name.")
    case .duplicateStoredName: ("duplicate_stored_name", "Two properties are stored under the same name.")
    case .tooManyProperties(let limit): ("too_many_properties", "A class has at most \(limit) properties.")
    case .unknownObjectType(let name): ("unknown_object_type", "There is no class “\(name)”.")
    case .linkNotOptional: ("link_not_optional", "A link to one object is always optional.")
    case .mixedNotOptional: ("mixed_not_optional", "A mixed value is always optional.")
    case .objectsInCollectionOptional:
      ("objects_in_collection_optional", "Objects in lists and sets are never optional.")
    case .objectsInMapNotOptional: ("objects_in_map_not_optional", "Objects in maps are always optional.")
    case .embeddedInSet: ("embedded_in_set", "A set holds no embedded objects.")
    case .linkToAsymmetric(let name):
      ("link_to_asymmetric", "Objects of the asymmetric class “\(name)” cannot be linked to.")
    case .asymmetricEmbedded:
      ("asymmetric_embedded", "A class is embedded or asymmetric, not both.")
    case .primaryKeyMissing(let name): ("primary_key_missing", "The primary key “\(name)” is no property.")
    case .illegalPrimaryKeyType:
      ("illegal_primary_key_type", "A primary key is an int, string, objectId or uuid.")
    case .primaryKeyOnEmbedded: ("primary_key_on_embedded", "An embedded class has no primary key.")
    case .unknownLinkingProperty(let name):
      ("unknown_linking_property", "The linking class has no property “\(name)”.")
    case .linkingPropertyNotALink(let name):
      ("linking_property_not_a_link", "The property “\(name)” does not link to this class.")
    case .linkingObjectsFromEmbedded(let name):
      ("linking_objects_from_embedded", "Class “\(name)” is embedded, so that its objects cannot be shown.")
    case .illegalProjectionName(let name, let entry):
      ("illegal_projection_name", "The name of the projection “\(name)” \(entry.wording).")
    case .duplicateProjection(let name):
      ("duplicate_projection", "There are two projections “\(name)”.")
    case .emptyProjection(let name): ("empty_projection", "The projection “\(name)” shows nothing.")
    case .illegalProjectionField(let name, let field):
      ("illegal_projection_field", "“\(field)” is no name for a property of “\(name)”, or there twice.")
    case .brokenProjectionPath(let name, let field):
      ("broken_projection_path", "The path of “\(field)” in “\(name)” leads to no property.")
    case .notIndexable: ("not_indexable", "Properties of this type have no index.")
    case .unknownIndexedProperty(let name):
      ("unknown_indexed_property", "An index names “\(name)”, which is no property.")
    case .illegalIndexKey(let name):
      ("illegal_index_key", "The property “\(name)” cannot be a key of such an index.")
    case .indexKeyRepeated(let name): ("index_key_repeated", "An index names “\(name)” twice.")
    case .indexRepeated(let keys):
      ("index_repeated", "There are two indexes over \(keys.joined(separator: ", ")).")
    case .indexEmpty: ("index_empty", "An index has at least one property.")
    case .tooManyIndexes(let limit): ("too_many_indexes", "A class has at most \(limit) indexes.")
    case .tooManyIndexKeys(let limit): ("too_many_index_keys", "An index has at most \(limit) properties.")
    case .uniqueNotAllowed(let name):
      (
        "unique_not_allowed",
        "Values of the property “\(name)” cannot be unique: single values and links can."
      )
    case .unknownUniqueProperty(let name):
      ("unknown_unique_property", "“\(name)” is to be unique, but no property.")
    case .malformedUniqueKey:
      ("malformed_unique_key", "What is to be unique are some different properties, and not twice the same.")
    case .tooManyUniqueKeys(let limit):
      ("too_many_unique_keys", "A class has at most \(limit) sets of properties that are unique together.")
    case .illegalConstraint(let member, let problem):
      (
        "illegal_constraint",
        "“\(member)” has a value that the property cannot have. \(problem.rule.wording.detail)"
      )
    case .contradictoryConstraint(let member):
      ("contradictory_constraint", "No value meets “\(member)”.")
    case .tooManyAllowedValues(let limit):
      ("too_many_allowed_values", "“enum” has at most \(limit) values.")
    case .tooManyChecks(let limit): ("too_many_checks", "A class has at most \(limit) checks.")
    case .notFullTextIndexable: ("not_full_text_indexable", "Only strings have a full-text index.")
    case .illegalDefault: ("illegal_default", "The default is no value of this type.")
    case .defaultNotAllowed: ("default_not_allowed", "Properties of this type have no default.")
    }
  }
}

extension SchemaRule.NameRule {
  fileprivate var wording: String {
    switch self {
    case .empty: "is empty"
    case .tooLong(let limit): "has more than \(limit) bytes"
    case .illegalCharacter: "has a character in it that names cannot have"
    case .reserved: "is kept for other purposes"
    }
  }
}

extension Problem.Entry {
  /// One change of a schema that was refused.
  init(_ change: SchemaChange) {
    let (objectType, property, code) = change.wording
    self.init(
      .schema(objectType: objectType, property: property), code,
      detail: "This change needs “destructive=true”.")
  }
}

extension Problem.Entry {
  /// One value that a change of the schema would lose. Who may change the schema may know which object has it, not the value.
  init(_ value: UnconvertibleValue) {
    let (code, detail) = value.wording
    self.init(
      .schema(objectType: value.objectType, property: value.property), code,
      detail: "The object \(Self.text(of: value.id)) \(detail).")
  }

  /// An object that breaks a rule which is new.
  init(_ broken: BrokenRule) {
    let (code, detail) = broken.problem.rule.wording
    let object = broken.id == .null ? "An object" : "The object \(Self.text(of: broken.id))"
    let place = broken.problem.pointer.isEmpty ? "" : " at \(broken.problem.pointer)"
    self.init(
      .schema(objectType: broken.objectType, property: broken.problem.property), code,
      detail: "\(object) breaks a rule\(place). \(detail)")
  }

  /// An object that no function could change.
  init(of id: Mixed, objectType: String, transformFailed reason: String) {
    self.init(
      .schema(objectType: objectType, property: nil), "transform_failed",
      detail: "The object \(Self.text(of: id)): \(reason)")
  }

  private static func text(of id: Mixed) -> String {
    switch id {
    case .int(let value): value.description
    case .string(let value): "“\(value)”"
    case .objectID(let value): value.description
    case .uuid(let value): value.description
    default: "without a primary key"
    }
  }
}

extension ValidationProblem {
  /// The property of the object that it is about; nil: it is about the object.
  fileprivate var property: String? {
    pointer.split(separator: "/").first.map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }
}

extension UnconvertibleValue {
  fileprivate var wording: (code: String, detail: String) {
    switch reason {
    case .null: ("value_missing", "has no value, or null in a collection, where there must be one")
    case .duplicate: ("value_unconvertible", "has values in a set that are equal in its new type")
    case .many(let count):
      ("value_unconvertible", "has \(count) elements, of which a single value can keep one")
    case .noTarget(let objectType):
      ("value_unconvertible", "would link to an object of class “\(objectType)” that is not there")
    case .inexact(let from, let to):
      (
        "value_unconvertible",
        "has a value of type \(from.name), which no \(to.name) equals"
      )
    }
  }
}

extension SchemaChange {
  fileprivate var wording: (objectType: String, property: String?, code: String) {
    switch self {
    case .classAdded(let type): (type.name, nil, "class_added")
    case .classRemoved(let type): (type.name, nil, "class_removed")
    case .classRenamed(_, let type): (type, nil, "class_renamed")
    case .embeddedChanged(let type, _): (type, nil, "embedded_changed")
    case .asymmetricChanged(let type, _): (type, nil, "asymmetric_changed")
    case .primaryKeyChanged(let type, _, let key): (type, key, "primary_key_changed")
    case .propertyAdded(let type, let property): (type, property.name, "property_added")
    case .propertyRemoved(let type, let property): (type, property.name, "property_removed")
    case .propertyRenamed(let type, _, let name, _): (type, name, "property_renamed")
    case .storedNameChanged(let type, let name, _, _): (type, name, "stored_name_changed")
    case .propertyRetyped(let type, let name, _, _): (type, name, "property_retyped")
    case .optionalChanged(let type, let name, _): (type, name, "optional_changed")
    case .indexChanged(let type, let name, _, _): (type, name, "index_changed")
    case .indexAdded(let type, _): (type, nil, "index_added")
    case .indexRemoved(let type, _): (type, nil, "index_removed")
    case .uniqueAdded(let type, let names): (type, names.count == 1 ? names[0] : nil, "unique_added")
    case .uniqueRemoved(let type, let names): (type, names.count == 1 ? names[0] : nil, "unique_removed")
    case .constraintsChanged(let type, let name): (type, name, "constraints_changed")
    case .checkAdded(let type, _): (type, nil, "check_added")
    case .checkRemoved(let type, _): (type, nil, "check_removed")
    case .defaultChanged(let type, let name): (type, name, "default_changed")
    case .projectionAdded(let type, _): (type, nil, "projection_added")
    case .projectionRemoved(let type, _): (type, nil, "projection_removed")
    case .projectionChanged(let type, _): (type, nil, "projection_changed")
    case .propertiesReordered(let type): (type, nil, "properties_reordered")
    case .classesReordered: ("", nil, "classes_reordered")
    }
  }
}

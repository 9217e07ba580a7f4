/// Why a schema is no schema: every problem that was found, in the order of its classes and properties.
public struct SchemaError: Error, Hashable, Sendable {
  public let problems: [SchemaProblem]

  public init(_ problems: [SchemaProblem]) {
    self.problems = problems
  }
}

/// One rule that a schema breaks, and where.
public struct SchemaProblem: Hashable, Sendable {
  /// The class, or nil where the schema does not name one.
  public let objectType: String?
  /// The property, or nil where the rule is about the class.
  public let property: String?
  public let rule: SchemaRule

  public init(objectType: String?, property: String? = nil, _ rule: SchemaRule) {
    self.objectType = objectType
    self.property = property
    self.rule = rule
  }
}

/// The rules for schemas.
public enum SchemaRule: Hashable, Sendable {
  /// The rule that a name breaks.
  public enum NameRule: Hashable, Sendable {
    case empty
    /// More bytes than that.
    case tooLong(limit: Int)
    /// A control character, or one that paths or the notation need.
    case illegalCharacter
    /// Kept for names of our own, or for Extended JSON's.
    case reserved
  }

  // Notation.

  /// The schema is not an array of classes.
  case notAnArray
  /// The class, at that position, is not a document.
  case notADocument(position: Int)
  /// The class, at that position, has no name.
  case nameMissing(position: Int)
  case memberUnknown(String)
  case memberMissing(String)
  case memberRepeated(String)
  case memberOfWrongType(String)
  /// The member exists, but makes no sense for a property of this type.
  case memberNotAllowed(String)
  /// A type's text that is none of the forms.
  case malformedType(String)
  /// `?` in the type, and `optional` false.
  case contradictoryOptional
  /// The property is neither a string nor a document.
  case malformedProperty

  // Names.

  case illegalName(NameRule)
  case illegalStoredName(NameRule)
  case duplicateClass
  case duplicateProperty
  case duplicateStoredName(String)
  case tooManyProperties(limit: Int)

  // Types.

  case unknownObjectType(String)
  case linkNotOptional
  case mixedNotOptional
  case objectsInCollectionOptional
  case objectsInMapNotOptional
  case embeddedInSet
  /// Nobody could follow the link.
  case linkToAsymmetric(String)
  /// `embedded` and `asymmetric` are both true.
  case asymmetricEmbedded

  // Primary keys.

  /// The class names a property as primary key that it does not have.
  case primaryKeyMissing(String)
  case illegalPrimaryKeyType
  case primaryKeyOnEmbedded

  // Linking objects.

  /// That class has no such property.
  case unknownLinkingProperty(String)
  /// That property is no link to this class.
  case linkingPropertyNotALink(String)
  /// Embedded objects have no identity that could be shown.
  case linkingObjectsFromEmbedded(String)

  // Projections.

  case illegalProjectionName(String, NameRule)
  case duplicateProjection(String)
  /// A projection without fields.
  case emptyProjection(String)
  /// A field whose name is illegal, or that of another one.
  case illegalProjectionField(projection: String, field: String)
  /// A field whose path leads to no property, or is too long.
  case brokenProjectionPath(projection: String, field: String)

  // Indexes and defaults.

  case notIndexable
  /// An index names a property that the class does not have.
  case unknownIndexedProperty(String)
  /// An index over several properties, or folded, can't have that property as a key.
  case illegalIndexKey(String)
  /// An index names the property twice.
  case indexKeyRepeated(String)
  /// Two indexes have these keys.
  case indexRepeated([String])
  case indexEmpty
  case tooManyIndexes(limit: Int)
  case tooManyIndexKeys(limit: Int)
  case notFullTextIndexable
  /// No values of a property of that name are unique: collections, mixed values, data and embedded objects.
  case uniqueNotAllowed(String)
  /// The class has no such property, which is to be unique together with others.
  case unknownUniqueProperty(String)
  /// A key that is to be unique is empty, names a property twice, or is there twice.
  case malformedUniqueKey
  case tooManyUniqueKeys(limit: Int)
  /// A rule for values, by its member, has a value that the property cannot have.
  case illegalConstraint(String, ValidationProblem)
  /// No value meets the rule.
  case contradictoryConstraint(String)
  case tooManyAllowedValues(limit: Int)
  case tooManyChecks(limit: Int)
  /// Not for primary keys, linking objects, links and embedded objects.
  case defaultNotAllowed
  /// The default breaks a rule for values of the property.
  case illegalDefault(ValidationProblem)
}

import GatehouseBSON

extension ElementType {
  /// The values of the type in plain JSON, where there is a property that says the type.
  ///
  /// Formats are those of OpenAPI's registry (<https://spec.openapis.org/registry/format/>).
  var jsonSchema: Document {
    switch self {
    case .bool: ["type": .string("boolean")]
    case .int:
      [
        "type": .string("integer"), "format": .string("int64"), "minimum": .int64(.min),
        "maximum": .int64(.max),
      ]
    case .float, .double: .anyDouble
    case .decimal128: ["type": .string("string"), "format": .string("decimal128")]
    case .string: ["type": .string("string")]
    case .data: ["type": .string("string"), "contentEncoding": .string("base64")]
    case .date: ["type": .string("string"), "format": .string("date-time")]
    case .objectID: ["type": .string("string"), "pattern": .string("^[0-9a-fA-F]{24}$")]
    case .uuid: ["type": .string("string"), "format": .string("uuid")]
    // Any value; Extended JSON says the types that JSON does not have.
    case .mixed, .object: [:]
    }
  }
}

extension Document {
  /// The implicit key of a class without a primary key.
  static let objectKey = objectKey(atMost: .max)

  /// The implicit key that a creation gives.
  static let givenKey = objectKey(atMost: ObjectKey.largest)

  private static func objectKey(atMost largest: Int64) -> Document {
    [
      "type": .string("integer"), "format": .string("int64"), "minimum": .int64(0),
      "maximum": .int64(largest),
    ]
  }

  /// JSON has no NaN and no infinities, so Extended JSON spells them.
  static let anyDouble: Document = [
    "title": .string("double"),
    "anyOf": .array([
      ["type": .string("number"), "format": .string("double")],
      [
        "type": .string("object"),
        "properties": [
          "$numberDouble": [
            "type": .string("string"),
            "enum": .array([.string("NaN"), .string("Infinity"), .string("-Infinity")]),
          ]
        ],
        "required": .array([.string("$numberDouble")]), "additionalProperties": .bool(false),
      ],
    ]),
  ]

  /// The keys that maps can have.
  static let mapKey: Document = ["pattern": .string(#"^([^.$\u0000][^.\u0000]*)?$"#)]

  /// The definition, or null.
  var orNull: Document {
    if elements.isEmpty { return self }
    if case .string(let type)? = self["type"] {
      var copy = self
      copy.set("type", .array([.string(type), .string("null")]))
      if case .array(let values)? = self["enum"] { copy.set("enum", .array(values + [.null])) }
      return copy
    }
    return ["anyOf": .array([.document(self), ["type": .string("null")]])]
  }
}

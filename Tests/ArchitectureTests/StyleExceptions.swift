/// The places that break a rule of ``StyleTests``, each with its reason: an entry that is no longer needed fails the test.
enum StyleExceptions {
  /// By target: file and function, and why its parameters are clearer without labels.
  static let unlabelled: [String: [String: String]] = [:]

  /// By target: file and initializer, and why no type gathers its parameters.
  static let initializers: [String: [String: String]] = [
    "API": [
      "Endpoint.swift init(_:_:answers:requires:records:using:respond:)":
        "A declaration: each of them is one fact about the endpoint, and two have defaults."
    ],
    "HTTP": [
      "RequestHead.swift init(packed:length:pathEnd:targetEnd:method:version:framing:isPersistent:expectsContinue:hasID:hasTraceParent:)":
        "Made in one place, for every request: a type between would be taken apart again at once."
    ],
    "Audit": [
      "Recorder.swift init(_:policy:options:clock:makeID:notice:representation:)":
        "All but the store have defaults, and a program that embeds the store names the one that it wants."
    ],
    "App": [
      "Synopsis.swift init(_:summary:operands:optionalOperands:options:settings:details:)":
        "An entry of a table: all but the name and the summary have defaults."
    ],
  ]

  /// The type and the name of its functions, and why more than three of them have it.
  static let overloads: [String: String] = [
    "BSON.OutputSpan.append": "Appends the encoding of what it is given: a byte, a number, a text.",
    "Feeds.ObjectEncoder.write": "Writes the JSON of what it is given: an object, a value, an event.",
    "HTTP.OutputBuffer.append": "Appends the bytes of what it is given: a text, a number, a date.",
    "Model.MixedOrder.compare": "One order, recursive over the kinds of values.",
    "Query.FNV1a.combine": "Hashes what it is given, as Hasher does.",
    "Query.PredicateText.text": "Spells one kind of node each, and calls itself for the nodes inside.",
    "SQLite.Statement.bind": "Binds a value of each of the types that SQLite has.",
    "Storage.ChangeWriter.write": "Writes the bytes of what it is given into an entry of the log.",
    "Storage.MixedCoding.append": "Appends the bytes of what it is given: a value, a list, a dictionary.",
    "Storage.MixedSortKey.append": "Appends the bytes of what it is given, one kind of value each.",
    "Storage.ObjectStore.removeEmbedded":
      "Removes the embedded objects of one place: a property, a key, a position.",
    "Storage.PathReader.write": "Writes the JSON of one representation each.",
    "Storage.PredicateCompiler.condition":
      "Compiles one kind of node each, and calls itself for the nodes inside.",
    "Storage.RowReader.write": "Writes the JSON of one representation each.",
    "Storage.SQLText.StringInterpolation.appendInterpolation":
      "The name is that of ExpressibleByStringInterpolation.",
    "Storage.SchemaStep.translate": "Translates what it is given: a change, an image, a value.",
    "Storage.Statement.bind": "Binds a value of each of the types that the file stores.",
    "Telemetry.OutputSpan.append": "Appends the text of what it is given: a number, a date, a field.",
  ]

  /// The type, and why it is one thing to understand.
  static let types: [String: String] = [
    "API.Endpoint":
      "A constant for each operation, beside the type that answers it: the type itself has a hundred lines.",
    "App.Settings":
      "A table with an entry for each setting, of which its help is the most.",
  ]

  /// The folder, and why it spells SQL itself.
  static let sql: [String: String] = [
    "Cluster/NATS": "Files of credentials have lines that begin as a statement does.",
    "Storage/Maintenance":
      "Checks and repairs ask what nobody else asks: each statement is read beside its finding or its step.",
    "Storage/Migration":
      "Statements are made from two catalogs, run once, and read beside the difference that they carry over.",
    "Storage/Schema":
      "The layout is the definition of tables, indexes and triggers; nothing else knows their names.",
    "Triggers/Definitions": "The names that App Services has for kinds of changes are words of SQL as well.",
  ]
}

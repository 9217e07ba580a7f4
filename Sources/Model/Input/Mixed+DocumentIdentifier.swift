import GatehouseBSON

// An identifier of a document has one spelling in a URL: an ObjectId, an integer and a UUID are spelt as everywhere, a text that
// is spelt like none of them and has no U+0000 stands for itself, and everything else is `~` and its canonical Extended JSON in base64url.
extension Mixed {
  private static let escape = "~"

  /// Reads a URL's segment (percent-decoded); nil: it spells no identifier.
  init?(documentIdentifier text: String) {
    guard text.hasPrefix(Self.escape) else {
      self = Mixed(plainIdentifier: text)
      return
    }
    guard let json = Base64.decode(String(text.dropFirst()), as: .urlSafe),
      let value = try? Value(json: json),
      let identifier = Mixed(identifying: value), identifier.documentIdentifierText == text
    else { return nil }
    self = identifier
  }

  private init(plainIdentifier text: String) {
    self =
      if let id = ObjectID(text), id.description == text {
        .objectID(id)
      } else if let integer = Int64(text), String(integer) == text {
        .int(integer)
      } else if let uuid = UUID(text), uuid.description == text {
        .uuid(uuid)
      } else {
        .string(text)
      }
  }

  /// The text in a URL, not percent-encoded; nil for what identifies no document.
  var documentIdentifierText: String? {
    guard self != .null, rank != .list, !hasLinks else { return nil }
    if let text = plainText, !text.isEmpty, !text.hasPrefix(Self.escape), !text.utf8.contains(0),
      Mixed(plainIdentifier: text) == self
    {
      return text
    }
    return Self.escape + Base64.encode(value { _ in .null }.extendedJSON, as: .urlSafe)
  }

  private var hasLinks: Bool {
    switch self {
    case .link: true
    case .list(let values): values.contains { $0.hasLinks }
    case .dictionary(let entries): entries.contains { $0.value.hasLinks }
    case .null, .int, .string, .objectID, .uuid, .bool, .float, .double, .decimal128, .data, .date: false
    }
  }

  /// An integer, a text, an ObjectId or a UUID as text; nil for others.
  var plainText: String? {
    switch self {
    case .int(let int): String(int)
    case .string(let text): text
    case .objectID(let id): id.description
    case .uuid(let id): id.description
    case .null, .bool, .float, .double, .decimal128, .data, .date, .link, .list, .dictionary: nil
    }
  }
}

/// A schema that an administrator gives the store: the class of the clients' objects, and one that comes and goes.
struct SchemaForm {
  /// Properties that the class of the clients' objects has gained.
  var properties = 0
  var hasCheck = true
  /// Whether `n` has an index.
  var isIndexed = false
  /// Whether there is the class of notes, which link to objects, with an embedded class.
  var hasNotes = false
  /// The name of the property with a note's text.
  var textName = "text"
  /// Whether the number of a note is kept as text.
  var hasTextNumbers = false
  var hasUniqueTexts = false

  var json: String {
    let more = (0..<properties).map { #","p\#($0)":"string?""# }.joined()
    let check = hasCheck ? #""check":"n < 4 OR group != 2","# : ""
    let n = isIndexed ? #"{"type":"int","indexed":true}"# : #""int""#
    return """
      [{"name":"Item","primaryKey":"_id",\(check)"properties":{"_id":"int",\
      "group":{"type":"int","indexed":true},"n":\(n),\
      "tag":"string","count":{"type":"int","default":0},"text":"string","secret":"string?","owner":"string",\
      "next":"Item?"\(more)}}\(hasNotes ? notes : "")]
      """
  }

  private var notes: String {
    let unique = hasUniqueTexts ? #","unique":true"# : ""
    return """
      ,{"name":"Note","primaryKey":"_id","properties":{"_id":"int","\(textName)":{"type":"string"\(unique)},\
      "number":"\(hasTextNumbers ? "string?" : "int?")","item":"Item?","marks":"Mark[]"}},\
      {"name":"Mark","embedded":true,"properties":{"mark":"string"}}
      """
  }
}

/// The name of a collection as MongoDB's clients give it. There is one database here, whatever it is called.
struct Namespace: Hashable, Sendable, CustomStringConvertible {
  let database: String
  let collection: String

  var description: String { "\(database).\(collection)" }
}

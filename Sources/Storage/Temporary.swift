import BSON
typealias ExtendedJSONWriter = PlainJSONWriter
typealias BSONWriter = PlainJSONWriter

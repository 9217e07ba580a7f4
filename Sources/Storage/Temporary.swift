import BSON
typealias ExtendedJSONWriter = PlainJSONWriter
typealias BSONWriter = PlainJSONWriter
import Model
enum MixedOrder { static func compare(_ l: Mixed, _ r: Mixed) -> Int { 0 } }

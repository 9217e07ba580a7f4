internal import Foundation
internal import GatehouseModel
internal import GatehouseQuery

extension Bool: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.bool(self)) }
}

extension BinaryInteger {
  /// An int of 64 bits, or the decimal where it is none.
  var predicateConstant: PredicateConstant {
    Int64(exactly: self).map { .value(.int($0)) } ?? .value(.decimal128(Decimal128(number: self).stored))
  }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Float: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.float(self)) }
}

extension Double: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.double(self)) }
}

extension String: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.string(self)) }
}

extension Substring: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.string(String(self))) }
}

extension FoundationData: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.data([UInt8](self))) }
}

extension FoundationDate: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.date(stored)) }
}

extension FoundationUUID: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.uuid(stored)) }
}

extension ObjectId: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.objectID(stored)) }
}

extension Decimal128: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.decimal128(stored)) }
}

extension Optional: PredicateArgument {
  var predicateConstant: PredicateConstant { map { PredicateConstant($0) } ?? .null }
}

extension Array: PredicateArgument {
  var predicateConstant: PredicateConstant { .list(map { PredicateConstant($0) }) }
}

extension ArraySlice: PredicateArgument {
  var predicateConstant: PredicateConstant { .list(map { PredicateConstant($0) }) }
}

extension Set: PredicateArgument {
  var predicateConstant: PredicateConstant { .list(map { PredicateConstant($0) }) }
}

extension Dictionary: PredicateArgument where Key == String {
  var predicateConstant: PredicateConstant { .dictionary(mapValues { PredicateConstant($0) }) }
}

extension GeoBox: PredicateArgument {
  var predicateConstant: PredicateConstant {
    .region(PredicateRegion(region: .box(bottomLeft.place, topRight.place), text: description))
  }
}

extension GeoPolygon: PredicateArgument {
  var predicateConstant: PredicateConstant {
    .region(
      PredicateRegion(region: .polygon(([outerRing] + holes).map { $0.map(\.place) }), text: description))
  }
}

extension GeoCircle: PredicateArgument {
  var predicateConstant: PredicateConstant {
    .region(
      PredicateRegion(region: .circle(center: center.place, radius: radiusInRadians), text: description))
  }
}

extension GeoPoint {
  fileprivate var place: Region.Point { Region.Point(longitude: longitude, latitude: latitude) }
}

internal import Foundation
internal import GatehouseModel

// Foundation's objects are arguments as the values are that they stand for.

extension NSNull: PredicateArgument {
  var predicateConstant: PredicateConstant { .null }
}

extension NSNumber: PredicateArgument {
  var predicateConstant: PredicateConstant {
    isFloatingPoint ? .value(.double(doubleValue)) : .value(.int(int64Value))
  }
}

extension NSString: PredicateArgument {
  var predicateConstant: PredicateConstant { .value(.string("\(self)")) }
}

extension NSDate: PredicateArgument {
  var predicateConstant: PredicateConstant {
    Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate).predicateConstant
  }
}

extension NSData: PredicateArgument {
  var predicateConstant: PredicateConstant { Data(referencing: self).predicateConstant }
}

extension NSUUID: PredicateArgument {
  var predicateConstant: PredicateConstant { PredicateConstant(UUID(uuidString: uuidString)) }
}

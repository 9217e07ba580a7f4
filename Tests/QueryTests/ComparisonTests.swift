import GatehouseModel
import GatehouseQuery
import Testing

private func path(_ property: Int) -> Operand {
  .path(KeyPath(objectType: "Dog", hops: [], end: .value(property: property), type: .int))
}

private let one = path(1)
private let two = path(2)

@Test func `comparisons are equal when all of them is`() {
  let makers: [() -> Comparison] = [
    { Comparison(one, relation: .less, two) }, { Comparison(two, relation: .less, two) },
    { Comparison(one, relation: .greater, two) }, { Comparison(one, relation: .less, one) },
    { Comparison(one, relation: .less, two, matching: .ordered) },
    { Comparison(one, relation: .less, two, nan: .unordered) },
  ]
  for (place, make) in makers.enumerated() {
    #expect(makers.indices.filter { makers[$0]() == make() } == [place])
    #expect(make().hashValue == make().hashValue)
  }
}

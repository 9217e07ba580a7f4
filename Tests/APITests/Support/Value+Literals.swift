public import GatehouseBSON

extension Value: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  public init(stringLiteral text: String) {
    self = .string(text)
  }

  public init(arrayLiteral elements: Value...) {
    self = .array(elements)
  }
}

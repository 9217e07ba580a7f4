/// A place that a row's address leads to, and no path of names.
struct RowPlace {
  let row: RowAddress
  let property: Int
  let element: ElementPlace?
  /// The way into a mixed value.
  let nested: [String]
}

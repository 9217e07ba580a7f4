public import Model

public struct Query: Sendable {
  private let pages: Int

  public init(longerThan pages: Int) {
    self.pages = pages
  }

  public func titles(of books: [Book]) -> [String] {
    books.filter { $0.pages > pages }.map(\.title)
  }
}

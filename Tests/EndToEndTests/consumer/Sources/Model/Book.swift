public struct Book: Sendable {
  public let title: String
  public let pages: Int

  public init(title: String, pages: Int) {
    self.title = title
    self.pages = pages
  }
}

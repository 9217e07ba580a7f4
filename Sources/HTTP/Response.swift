/// An answer to a request.
public struct Response: Sendable {
  public var status: Status
  public var fields: Fields
  public var body: ResponseBody

  public init(status: Status, fields: Fields = Fields(), body: ResponseBody = .empty) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

import GatehouseBSON
import GatehouseFeeds
import GatehouseHTTP

/// The subscriptions that a content asks for: an array of `{"url", "name", "lastEventId"}`.
struct SubscriptionList: Sendable {
  private struct Item: Sendable {
    let name: String
    let target: Target
    /// Where the client was; nil: it begins.
    let lastEventID: String?
  }

  /// The bytes that names may have.
  private static let longestName = 64
  private let items: [Item]
  /// The content as JSON.
  let json: [UInt8]

  /// Reads a value that stands at `pointer` of a content. Throws ``APIError/invalidMembers(_:)``.
  init(_ value: Value, at pointer: String = "", atMost limit: Int) throws {
    guard case .array(let values) = value else {
      throw APIError.invalidMembers([MemberError(pointer: pointer, rule: .wrongType)])
    }
    guard values.count <= limit else {
      throw APIError.invalidMembers([MemberError(pointer: pointer, rule: .tooMany)])
    }
    var names: Set<String> = []
    items = try values.enumerated().map { index, value in
      let place = "\(pointer)/\(index)"
      let item = try SubscriptionList.item(value, index, at: place)
      guard names.insert(item.name).inserted else {
        throw APIError.invalidMembers([MemberError(pointer: "\(place)/name", rule: .repeated)])
      }
      return item
    }
    json = value.plainJSON
  }

  private static func item(_ value: Value, _ index: Int, at place: String) throws -> Item {
    guard case .document(let members) = value else {
      throw APIError.invalidMembers([MemberError(pointer: place, rule: .wrongType)])
    }
    for name in members.elements.map(\.key) where !["url", "name", "lastEventId"].contains(name) {
      let token = name.replacing("~", with: "~0").replacing("/", with: "~1")
      throw APIError.invalidMembers([MemberError(pointer: "\(place)/\(token)", rule: .unknownMember)])
    }
    let name = try text(members["name"], at: "\(place)/name") ?? "\(index)"
    guard !name.isEmpty, name.utf8.count <= longestName else {
      throw APIError.invalidMembers([MemberError(pointer: "\(place)/name", rule: .wrongType)])
    }
    return Item(
      name: name, target: try Target(members["url"], at: "\(place)/url"),
      lastEventID: try text(members["lastEventId"], at: "\(place)/lastEventId"))
  }

  private static func text(_ value: Value?, at place: String) throws(APIError) -> String? {
    switch value {
    case nil, .null?: return nil
    case .string(let text)?: return text
    case _?: throw .invalidMembers([MemberError(pointer: place, rule: .wrongType)])
    }
  }

  /// Returns the subscriptions as far as the caller may have them, each admitted: whoever gets them has to use them, or to
  /// release their places. Throws what opening each by itself would throw, with its place.
  func open(
    for call: Call, by events: EventAccess, at pointer: String = ""
  ) async throws -> [SubscriptionRequest] {
    var requests: [SubscriptionRequest] = []
    do {
      for (index, item) in items.enumerated() {
        do {
          requests.append(try await open(item, for: call, by: events))
        } catch let error as APIError where error == .tooManySubscribers {
          throw error
        } catch {
          throw PointedError(error, pointer: "\(pointer)/\(index)/url")
        }
      }
      return requests
    } catch {
      for request in requests { events.broker.release(request.client) }
      throw error
    }
  }

  private func open(
    _ item: Item, for call: Call, by events: EventAccess
  ) async throws -> SubscriptionRequest {
    let response = try await events.open(item.target, item.lastEventID, call)
    guard case .pushed(let source) = response.body, let stream = source as? EventStream,
      let request = stream.take(named: item.name)
    else { throw APIError.notWatchable }
    return request
  }
}

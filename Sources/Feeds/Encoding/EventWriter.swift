import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// Writes events as frames.
struct EventWriter {
  private static let object = PreparedKey("object")

  let history: HistoricalSnapshot

  /// Appends the frame of what a change is to somebody.
  func append(_ event: ChangeEvent, as shape: Shape, to bytes: inout [UInt8]) {
    let subject = EventSubject(
      identity: Identity(objectType: event.objectType, id: event.id),
      isMixed: history.layouts[event.objectType]?.objectType.isSchemaless == true)
    Frame.append(event.outcome.eventName, at: event.stamp, of: subject, to: &bytes) { json in
      if let after = event.after, event.outcome.showsObject {
        json.key(EventWriter.object)
        ObjectEncoder(history: history).write(after, showing: shape.projection, to: &json)
      }
      if event.outcome == .update { writeChanged(event, as: shape, to: &json) }
      if let reason = event.outcome.reason {
        json.key("reason")
        json.string(reason)
      }
    }
  }

  /// Appends the frame of a change of the schema.
  func append(schema change: LoggedChange, to bytes: inout [UInt8]) {
    Frame.append(.schema, at: EventStamp(change), to: &bytes)
  }

  private func writeChanged(_ event: ChangeEvent, as shape: Shape, to json: inout PlainJSONWriter) {
    guard let layout = event.after?.layout else { return }
    json.key("changed")
    json.beginArray()
    for name in layout.names(of: event.changed, from: event.before, to: event.after) { json.string(name) }
    json.endArray()
    if event.isReplacement {
      json.key("replaced")
      json.bool(true)
    }
    // Where it was not the object itself that changed, its values are what they were.
    guard shape.showsValues, event.isOwn else { return }
    for (name, state) in [("before", event.before), ("after", event.after)] {
      json.key(name)
      json.beginDocument()
      for property in event.changed {
        guard let value = state?.values[property] else { continue }
        if property == layout.objectType.fieldsIndex {
          let fields = value.differences(
            from: (name == "before" ? event.after : event.before)?.values[property])
          ObjectEncoder(history: history).write(fields, to: &json)
          continue
        }
        json.key(layout.keys[property])
        ObjectEncoder(history: history).write(
          value, of: layout.objectType.properties[property].type, showing: nil, to: &json)
      }
      json.endDocument()
    }
  }
}

extension Outcome {
  /// The event's type, as EventSource has it.
  fileprivate var eventName: EventName {
    switch self {
    case .insert, .matched: .insert
    case .update: .update
    case .delete, .unmatched: .delete
    }
  }

  /// Whether an event of it has the object.
  var showsObject: Bool {
    switch self {
    case .insert, .matched, .update: true
    case .delete, .unmatched: false
    }
  }

  /// Why an object is gone, or there, that a client may ask for all the same.
  fileprivate var reason: String? {
    switch self {
    case .insert, .update: nil
    case .matched: "matched"
    case .delete: "deleted"
    case .unmatched: "unmatched"
    }
  }
}

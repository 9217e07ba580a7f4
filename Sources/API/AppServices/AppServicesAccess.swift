/// The parts of the gateway that calls of functions need, which may be commands of a data source.
struct AppServicesAccess: Sendable {
  let functions: FunctionAccess
  let events: EventAccess

  init(_ context: Context) {
    functions = context.functions
    events = context.events
  }

  var data: DataAccess { events.data }
}

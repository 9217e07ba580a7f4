import GatehouseAPI
import GatehouseModel
import GatehouseStorage

/// The groups of classes of the apps, for the administrators of the default database.
struct AppGroups {
  let apps: Apps

  /// Makes a group of an app, or gives it other classes, and returns once the app is there with it. Throws ``GatehouseAPI/GroupError`` and
  /// ``GatehouseAPI/AppError``.
  func put(_ text: String, of app: AppName, classes: Set<String>) async throws {
    guard let name = GroupName(text) else { throw GroupError.invalidName }
    if let cluster = apps.cluster { return try await put(name, of: app, classes: classes, in: cluster) }
    let groups = GroupsDirectory(apps.directory.directory(of: app))
    try await apps.withClosed(app) { try groups.put(name, classes: classes) }
  }

  /// Removes a group of an app. Throws ``GatehouseAPI/GroupError`` and ``GatehouseAPI/AppError``.
  func remove(_ text: String, of app: AppName, isConfirmed: Bool) async throws {
    guard let name = GroupName(text) else { throw GroupError.notFound }
    if let cluster = apps.cluster {
      return try await remove(name, of: app, isConfirmed: isConfirmed, in: cluster)
    }
    let groups = GroupsDirectory(apps.directory.directory(of: app))
    try await apps.withClosed(app) { try groups.remove(name, isConfirmed: isConfirmed) }
  }

  private func put(
    _ name: GroupName, of app: AppName, classes: Set<String>, in cluster: AppCluster
  ) async throws {
    guard let registered = try cluster.registry.app(app) else { throw AppError.notFound }
    guard let open = apps.openApp(app) else { throw AppError.unavailable }
    let group = try registered.groups.map(\.group).group(
      name, with: classes, main: Set(open.database.store.schema.objectTypes.map(\.name)),
      own: Set(open.groups.first { $0.group.name == name }?.store.schema.objectTypes.map(\.name) ?? []))
    guard try await cluster.registry.change(app, { $0.groups = $0.groups.with(group) }) else {
      throw AppError.notFound
    }
    await apps.reconcile(in: cluster)
    for _ in 0..<500 {
      if apps.openApp(app)?.groups.contains(where: { $0.group == group }) == true {
        _ = try await cluster.registry.change(app) { $0.groups = $0.groups.havingBegun(group.identity) }
        return
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  private func remove(
    _ name: GroupName, of app: AppName, isConfirmed: Bool, in cluster: AppCluster
  ) async throws {
    guard let registered = try cluster.registry.app(app) else { throw AppError.notFound }
    guard let group = registered.groups.first(where: { $0.group.name == name })?.group else {
      throw GroupError.notFound
    }
    if !isConfirmed {
      guard let store = apps.openApp(app)?.groups.first(where: { $0.group.name == name })?.store else {
        throw AppError.unavailable
      }
      guard try store.makeReader().counts().allSatisfy({ $0.count == 0 }) else { throw GroupError.notEmpty }
    }
    guard try await cluster.registry.removeGroup(group.identity, of: app) else { throw GroupError.notFound }
    await apps.reconcile(in: cluster)
    await cluster.node.removeLog(ofApp: group.identity)
  }
}

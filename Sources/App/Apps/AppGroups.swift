import GatehouseAPI
import GatehouseModel
import GatehouseStorage

/// The groups of classes of the apps, for the administrators of the default database.
struct AppGroups {
  let apps: Apps

  /// Makes a group of an app, or gives it other classes, and returns once the app is there with it. Throws ``GatehouseAPI/GroupError`` and
  /// ``GatehouseAPI/AppError``.
  func put(_ text: String, of app: AppName, classes: Set<String>, shards: Int?) async throws {
    guard let name = GroupName(text) else { throw GroupError.invalidName }
    if let cluster = apps.cluster {
      return try await put(name, of: app, classes: classes, shards: shards, in: cluster)
    }
    try apps.directory.groupStores.requireRoom(
      for: name, of: app, shards: shards, atMost: apps.settings.groupStores)
    let groups = GroupsDirectory(apps.directory.directory(of: app))
    try await apps.withClosed(app) { try groups.put(name, classes: classes, shards: shards) }
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
    _ name: GroupName, of app: AppName, classes: Set<String>, shards: Int?, in cluster: AppCluster
  ) async throws {
    guard let registered = try cluster.registry.app(app) else { throw AppError.notFound }
    guard let open = apps.openApp(app) else { throw AppError.unavailable }
    try cluster.registry.apps().mapValues { $0.groups.flatMap(\.group.stores) }.requireRoom(
      for: name, of: app, shards: shards, atMost: apps.settings.groupStores)
    let group = try registered.groups.map(\.group).group(
      name, with: classes, shards: shards, main: Set(open.database.store.schema.objectTypes.map(\.name)),
      own: Set(open.stores(of: name).flatMap(\.schema.objectTypes).map(\.name)))
    guard try await cluster.registry.change(app, { $0.change($0.groups.with(group)) }),
      let changed = try cluster.registry.app(app)
    else { throw AppError.notFound }
    await apps.reconcile(in: cluster)
    let reserved = try await waitForGroup(group, of: changed)
    // A node that had not read of the group yet may have made one of its classes meanwhile, and none makes one from here on.
    guard let taken = reserved.intersection(group.classes).min() else {
      _ = try await cluster.registry.change(app) { $0.noteBeginning(ofGroup: group.identity) }
      return
    }
    if let before = registered.groups.first(where: { $0.group.name == name })?.group {
      _ = try await cluster.registry.change(app) { $0.change($0.groups.with(before)) }
    } else {
      _ = try await cluster.registry.removeGroup(group.identity, of: app)
    }
    await apps.reconcile(in: cluster)
    throw GroupError.classExists(taken)
  }

  /// Waits until this node serves a group, and the app's log has its classes reserved. Returns the names of the classes that were made in
  /// the app's own store before. Throws ``GatehouseAPI/AppError/unavailable`` where that takes too long: it may come all the same.
  private func waitForGroup(_ group: AppGroup, of app: RegisteredApp) async throws -> Set<String> {
    // Ten seconds, and one for each log that is made.
    for _ in 0..<(500 + 50 * group.stores.count) {
      if let open = apps.openApp(app.name), open.groups.contains(where: { $0.place.group == group }),
        try ClassReservations(open.database.store).revision >= app.groupsRevision
      {
        return Set(open.database.store.schema.objectTypes.map(\.name))
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw AppError.unavailable
  }

  private func remove(
    _ name: GroupName, of app: AppName, isConfirmed: Bool, in cluster: AppCluster
  ) async throws {
    guard let registered = try cluster.registry.app(app) else { throw AppError.notFound }
    guard let group = registered.groups.first(where: { $0.group.name == name })?.group else {
      throw GroupError.notFound
    }
    if !isConfirmed {
      let open = apps.openApp(app)?.groups.filter { $0.place.group.name == name } ?? []
      if open.isEmpty { throw AppError.unavailable }
      for part in open {
        guard let hasObjects = try await part.node?.hasObjects(part.store) else { throw AppError.unavailable }
        if hasObjects { throw GroupError.notEmpty }
      }
    }
    guard try await cluster.registry.removeGroup(group.identity, of: app) else { throw GroupError.notFound }
    await apps.reconcile(in: cluster)
    for store in group.stores { await cluster.node.removeLog(ofApp: store.identity) }
  }
}

extension OpenApp {
  /// The stores of a group; none where it is not open.
  fileprivate func stores(of name: GroupName) -> [Store] {
    groups.filter { $0.place.group.name == name }.map(\.store)
  }
}

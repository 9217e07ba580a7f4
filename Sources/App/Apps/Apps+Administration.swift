import GatehouseAPI
import GatehouseAudit
import GatehouseBSON
import GatehouseStorage
import Glibc

extension Apps {
  /// Makes and removes apps for the administrators of the default database.
  var administrator: AppAdministration {
    AppAdministration(
      list: { self.names.map(self.summary) },
      read: { self.summary(try self.known($0)) },
      create: { name in
        guard let name = AppName(name), name.text != self.defaultID else { throw AppError.invalidName }
        return try await self.administration.run {
          if let cluster = self.cluster { return try await self.create(name, in: cluster) }
          let key = try await self.tellingFiles {
            try await self.directory.create(name, atMost: self.settings.mostApps)
          }
          try self.findNames()
          return (self.summary(name), key)
        }
      },
      change: { name, settings in
        let name = try self.known(name)
        return try await self.administration.run {
          if let cluster = self.cluster { return try await self.change(name, settings, in: cluster) }
          try await self.tellingFiles {
            let file = AppFile(in: self.directory.directory(of: name))
            let contents = try file.contents(with: settings, over: self.settings)
            // It is opened with them when somebody asks for it.
            try await self.withClosed(name) { try file.write(contents) }
          }
          if self.directory.mayHaveWork(name) { _ = try? await self.lease(name) }
          return self.summary(name)
        }
      },
      remove: { name in
        let name = try self.known(name)
        try await self.administration.run {
          if let cluster = self.cluster { return try await self.remove(name, in: cluster) }
          try await self.tellingFiles { try await self.remove(name) }
        }
      },
      groups: AppAdministration.Groups(
        put: { name, app, classes, shards in
          let app = try self.known(app)
          return try await self.administration.run {
            try await self.tellingFiles {
              try await AppGroups(apps: self).put(name, of: app, classes: classes, shards: shards)
            }
            return self.summary(app)
          }
        },
        remove: { name, app, isConfirmed in
          let app = try self.known(app)
          try await self.administration.run {
            try await self.tellingFiles {
              try await AppGroups(apps: self).remove(name, of: app, isConfirmed: isConfirmed)
            }
          }
        }))
  }

  /// Has what is wrong with files be an error of the API.
  private func tellingFiles<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch StorageError.locked {
      throw AppError.busy
    } catch let error as CommandError {
      Output.warn(error.text)
      guard case .file(let path, _, let code) = error else { throw AppError.unavailable }
      throw code == ENOSPC || code == EDQUOT ? StorageError.diskFull : StorageError.notWritable(path)
    }
  }

  private func known(_ text: String) throws(AppError) -> AppName {
    guard let name = AppName(text), contains(name) else { throw .notFound }
    return name
  }

  private func groups(of name: AppName) -> [AppSummary.Group] {
    let groups = GroupsDirectory(directory.directory(of: name))
    return ((try? groups.groups()) ?? []).map {
      AppSummary.Group(
        $0.classGroup, size: $0.stores.reduce(0) { $0 + size(of: groups.database(of: $1)) })
    }
  }

  private func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  func summary(_ name: AppName) -> AppSummary {
    let size = size(of: directory.database(of: name))
    return AppSummary(
      name: name.text, isOpen: isOpen(name), failure: failure(of: name), size: size,
      settings: (try? AppFile(in: directory.directory(of: name)).shownContents()) ?? Document(),
      groups: groups(of: name))
  }
}

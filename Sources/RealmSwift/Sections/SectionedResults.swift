public import Dispatch
public import Foundation
import GatehouseLive
import GatehouseModel
import GatehouseStorage

/// The elements of a collection, in sections by keys.
final class SectionGrouping<Key: _Persistable & Hashable, Element: RealmCollectionValue> {
  struct Section {
    let key: Key
    var elements: [Mixed]
  }

  let context: RealmContext
  let live: LiveResults
  private let key: (Element) -> Key
  /// The number of times that the Realm had been invalidated when the sections were asked for.
  private let epoch: Int
  private var known: [Section] = []
  private var state: UInt64 = 0

  init(_ context: RealmContext, _ live: LiveResults, by key: @escaping (Element) -> Key) {
    self.context = context
    self.live = live
    self.key = key
    epoch = context.epoch
  }

  /// Whether the Realm was invalidated, or the collection is gone.
  var isInvalidated: Bool { epoch != context.epoch || !live.isValid }

  /// The sections in the order of their first elements.
  var sections: [Section] {
    context.check()
    if epoch != context.epoch { return [] }
    if state == context.live.state { return known }
    var sections: [Section] = []
    var places: [Key: Int] = [:]
    for value in live.all {
      let key = key(element(value))
      if let place = places[key] {
        sections[place].elements.append(value)
      } else {
        places[key] = sections.count
        sections.append(Section(key: key, elements: [value]))
      }
    }
    if !context.live.isFrozen { (known, state) = (sections, context.live.state) }
    return sections
  }

  func element(_ value: Mixed) -> Element {
    context.noteRead(of: live)
    return _RealmStoredValue(value, in: context).converted(to: Element.self)
  }

  func moved(to context: RealmContext) -> SectionGrouping {
    SectionGrouping(context, live.in(context.live), by: key)
  }
}

/// A collection in sections, or one of its sections.
public protocol RealmSectionedResult: RandomAccessCollection, Equatable, ThreadConfined {
  var realm: Realm? { get }
  var isInvalidated: Bool { get }
  /// The number of elements.
  var count: Int { get }
  var isFrozen: Bool { get }
  func freeze() -> Self
  func thaw() -> Self?
  func _rlmObserve(
    _ keyPaths: [String]?, on queue: DispatchQueue?, _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken
  func _rlmObserve(
    _ keyPaths: [String]?, on actor: any Actor, _ block: @escaping (SectionedResultsChange<Self>) -> Void
  ) -> NotificationToken
}

/// A collection in sections, or one of its sections, as the library makes them.
public protocol SectionedResultImpl: RealmSectionedResult {}

/// The part that a collection in sections and one of its sections have in common.
protocol SectionedView: SectionedResultImpl {
  associatedtype SectionKey: _Persistable & Hashable
  associatedtype SectionElement: RealmCollectionValue
  var grouping: SectionGrouping<SectionKey, SectionElement> { get }
  /// Returns the same view in another Realm of the file.
  func moved(to context: RealmContext) -> Self
  /// Returns what of a change of all sections is to be told to whom observes the view.
  func ownPart(
    of change: SectionsChange, from old: [SectionKey], to new: [SectionKey]
  ) -> SectionsChange
}

extension SectionedView {
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  public var realm: Realm? { Realm(context: grouping.context) }
  public var isFrozen: Bool { grouping.context.live.isFrozen }
  public func freeze() -> Self { moved(to: grouping.context.frozen()) }
  public func thaw() -> Self? { isFrozen ? moved(to: grouping.context.thawed()) : self }
}

/// The elements of a collection in sections, which come in the order of their first elements.
public struct SectionedResults<Key: _Persistable & Hashable, SectionElement: RealmCollectionValue>:
  SectionedView
{
  public typealias Element = ResultsSection<Key, SectionElement>
  /// The type of the keys.
  public typealias SectionKey = Key

  let grouping: SectionGrouping<Key, SectionElement>

  /// The keys of all sections.
  public var allKeys: [Key] { grouping.sections.map(\.key) }

  public var endIndex: Int { grouping.sections.count }
  public var count: Int { grouping.sections.count }

  /// A section.
  public subscript(_ index: Int) -> Element {
    let sections = grouping.sections
    if index < 0 || index >= sections.count {
      fatalError("Index \(index) is out of bounds (must be less than \(sections.count)).")
    }
    return ResultsSection(grouping: grouping, key: sections[index].key)
  }

  /// An element by the places of its section and itself.
  public subscript(_ indexPath: IndexPath) -> SectionElement { self[indexPath[0]][indexPath[1]] }

  public func makeIterator() -> SectionedResultsIterator<Key, SectionElement> {
    SectionedResultsIterator(sections: allKeys.map { ResultsSection(grouping: grouping, key: $0) })
  }

  public var isInvalidated: Bool { grouping.isInvalidated }

  func moved(to context: RealmContext) -> SectionedResults {
    SectionedResults(grouping: grouping.moved(to: context))
  }

  func ownPart(of change: SectionsChange, from old: [Key], to new: [Key]) -> SectionsChange { change }

  public static func == (lhs: SectionedResults, rhs: SectionedResults) -> Bool {
    lhs.grouping === rhs.grouping
  }
}

/// The elements of one section.
public struct ResultsSection<Key: _Persistable & Hashable, T: RealmCollectionValue>: SectionedView,
  Identifiable
{
  public typealias Element = T
  /// The type of the keys.
  public typealias SectionKey = Key
  /// The type of the elements.
  public typealias SectionElement = T

  let grouping: SectionGrouping<Key, T>
  /// The key that the elements have in common.
  public let key: Key

  public var id: Key { key }

  private var elements: [Mixed] {
    guard let section = grouping.sections.first(where: { $0.key == key }) else {
      fatalError("Access to invalidated Results objects")
    }
    return section.elements
  }

  public var endIndex: Int { elements.count }
  public var count: Int { elements.count }

  /// An element.
  public subscript(_ index: Int) -> T {
    let elements = elements
    if index < 0 || index >= elements.count {
      fatalError("Index \(index) is out of bounds (must be less than \(elements.count)).")
    }
    return grouping.element(elements[index])
  }

  public func makeIterator() -> SectionIterator<Element> {
    SectionIterator(elements: elements.map { grouping.element($0) })
  }

  public var isInvalidated: Bool {
    grouping.isInvalidated || !grouping.sections.contains { $0.key == key }
  }
  func moved(to context: RealmContext) -> ResultsSection {
    ResultsSection(grouping: grouping.moved(to: context), key: key)
  }

  func ownPart(of change: SectionsChange, from old: [Key], to new: [Key]) -> SectionsChange {
    change.ofSection(before: old.firstIndex(of: key), after: new.firstIndex(of: key))
  }

  public static func == (lhs: ResultsSection, rhs: ResultsSection) -> Bool {
    lhs.grouping === rhs.grouping && lhs.key == rhs.key
  }
}

/// Goes through the sections that there were when it was asked for.
public struct SectionedResultsIterator<Key: _Persistable & Hashable, Element: RealmCollectionValue>:
  IteratorProtocol
{
  private var sections: [ResultsSection<Key, Element>].Iterator

  init(sections: [ResultsSection<Key, Element>]) { self.sections = sections.makeIterator() }

  public mutating func next() -> ResultsSection<Key, Element>? { sections.next() }
}

/// Goes through the elements that a section had when it was asked for.
public struct SectionIterator<Element: RealmCollectionValue>: IteratorProtocol {
  private var elements: [Element].Iterator

  init(elements: [Element]) { self.elements = elements.makeIterator() }

  public mutating func next() -> Element? { elements.next() }
}

/// The older name of ``SectionedResultsChange``.
@available(*, deprecated, renamed: "SectionedResultsChange")
public typealias RealmSectionedResultsChange = SectionedResultsChange

/// The older name of ``SectionedResultsIterator``.
@available(*, deprecated, renamed: "SectionedResultsIterator")
public typealias RLMSectionedResultsIterator = SectionedResultsIterator

/// The older name of ``SectionIterator``.
@available(*, deprecated, renamed: "SectionIterator")
public typealias RLMSectionIterator = SectionIterator

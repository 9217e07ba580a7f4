// The classes in realm-js' notation, made plain: of each property its kind and its type.

const suffixes = { '[]': 'list', '<>': 'set', '{}': 'map' };
const kinds = { list: 'list', set: 'set', dictionary: 'map', map: 'map' };
const values = new Set([
  'bool', 'int', 'float', 'double', 'string', 'data', 'date', 'decimal128', 'objectId', 'uuid', 'mixed',
]);
const numbers = new Set(['int', 'float', 'double', 'decimal128']);

export class Schema {
  constructor(notation) {
    this.notation = notation;
    this.types = new Map(notation.map((type) => [type.name, new ObjectType(type)]));
    for (const type of this.types.values()) {
      for (const property of type.properties) property.isEmbedded = this.types.get(property.target)?.isEmbedded ?? false;
    }
  }

  type(name) {
    return this.types.get(name);
  }

  /** The names of the classes that have objects of their own. */
  get collections() {
    return [...this.types.values()].filter((type) => !type.isEmbedded).map((type) => type.name);
  }

  /** The properties anywhere that lead to objects of a class. */
  linksTo(name) {
    return [...this.types.values()].flatMap((type) => type.properties
      .filter((property) => property.target === name && property.kind !== 'linkingObjects')
      .map((property) => ({ type, property })));
  }
}

class ObjectType {
  constructor(notation) {
    this.name = notation.name;
    this.isEmbedded = notation.embedded ?? false;
    this.isAsymmetric = notation.asymmetric ?? false;
    this.isSchemaless = notation.schemaless ?? false;
    this.primaryKey = notation.primaryKey;
    /** The member that names an object. */
    this.key = notation.primaryKey ?? '_key';
    this.properties = Object.entries(notation.properties).map(([name, form]) => new Property(name, form));
    this.stored = this.properties.filter((property) => property.kind !== 'linkingObjects');
    /** For event streams: changes of what links lead to are none of the object. */
    this.keyPaths = this.isSchemaless ? undefined : this.stored.map((property) => property.name).join(',');
  }

  property(name) {
    return this.properties.find((property) => property.name === name);
  }
}

export class Property {
  constructor(name, form) {
    const options = typeof form === 'string' ? { type: form } : form;
    this.name = name;
    this.options = options;
    /** `value`, `list`, `set`, `map` or `linkingObjects`. */
    this.kind = kinds[options.type] ?? (options.type === 'linkingObjects' ? 'linkingObjects' : 'value');
    let type = kinds[options.type] || ['linkingObjects', 'object'].includes(options.type) ? options.objectType ?? 'mixed' : options.type;
    const kind = suffixes[type.slice(-2)];
    if (kind) [this.kind, type] = [kind, type.slice(0, -2)];
    this.isOptional = type.endsWith('?') || options.optional === true || type === 'mixed';
    this.type = type.replace(/\?$/, '');
    /** The class of a link or an embedded object. */
    this.target = values.has(this.type) ? undefined : this.type;
    this.isEmbedded = false;
    if (this.target && this.kind === 'value') this.isOptional = true;
  }

  get isLink() {
    return this.target !== undefined && !this.isEmbedded && this.kind !== 'linkingObjects';
  }

  get isNumber() {
    return this.kind === 'value' && numbers.has(this.type);
  }

  /** The type as the notation writes it. */
  get notation() {
    const marks = { value: '', list: '[]', set: '<>', map: '{}', linkingObjects: '' };
    return `${this.type}${this.isOptional && !this.target && this.type !== 'mixed' ? '?' : ''}${marks[this.kind]}`;
  }

  /** Whether a column can be sorted by it: fields of documents may have names that are no words. */
  get isSortable() {
    return this.kind === 'value' && !this.target && this.type !== 'data' && /^\w+$/.test(this.name);
  }
}

// Controls for values, made from the schema. Each has `element`, and `value()`, which throws where the input means nothing.
import { path, read, query } from '../Base/api.js';
import { debounce, element } from '../Base/dom.js';
import { parse, stringify } from '../Base/json.js';
import { texts } from '../Page/texts.js';

/** Makes the control for a property, with a value to begin with; undefined: none was given. */
export function editor(schema, property, value) {
  if (property.kind !== 'value' || property.isEmbedded || property.type === 'mixed') return jsonEditor(property, value);
  if (property.options.enum) return choiceEditor(property, value, property.options.enum);
  if (property.type === 'bool') return choiceEditor(property, value, [true, false]);
  if (property.type === 'data') return dataEditor(property, value);
  if (property.isLink) return linkEditor(schema, property, value);
  return lineEditor(property, value);
}

const name = (property) => ({ name: property.name, 'aria-label': property.name });

function choiceEditor(property, value, choices) {
  const options = property.isOptional || value === undefined ? [null, ...choices] : choices;
  const control = element('select', name(property), options.map((one, index) =>
    element('option', { value: String(index), selected: one === (value ?? null) }, one === null ? texts.value.nothing : String(one))));
  return { element: control, value: () => options[Number(control.value)] };
}

function lineEditor(property, value) {
  const isLong = property.type === 'string' && typeof value === 'string' && (value.length > 60 || value.includes('\n'));
  const control = element(isLong ? 'textarea' : 'input', { ...name(property), value: value === undefined || value === null ? '' : String(value), spellcheck: property.type === 'string' });
  if (!isLong) control.type = 'text';
  if (property.isNumber) control.inputMode = 'decimal';
  const nothing = property.type === 'string' && property.isOptional
    ? element('input', { type: 'checkbox', checked: value === null || value === undefined, 'aria-label': texts.edit.isNothing(property.name) }) : undefined;
  if (nothing) control.addEventListener('input', () => { nothing.checked = false; });
  return {
    element: nothing ? element('span', { class: 'with-null' }, control, element('span', { class: 'check' }, nothing, texts.value.nothing)) : control,
    focus: () => control.focus(),
    value: () => (nothing?.checked ? null : typed(property, control.value)),
  };
}

/** A text as the value of a property that the server takes. */
function typed(property, text) {
  if (property.type === 'string') return text;
  const trimmed = text.trim();
  if (trimmed === '') return null;
  switch (property.type) {
    case 'int':
      if (!/^-?\d+$/.test(trimmed)) throw new Error(texts.edit.notWhole);
      return parse(trimmed.replace(/^(-?)0+(?=\d)/, '$1'));
    case 'float':
    case 'double':
      if (Number.isNaN(Number(trimmed))) throw new Error(texts.edit.notNumber);
      return Number.isFinite(Number(trimmed)) ? Number(trimmed) : { $numberDouble: trimmed };
    default: return trimmed;
  }
}

function dataEditor(property, value) {
  const text = element('textarea', { ...name(property), value: value ?? '', spellcheck: false });
  const file = element('input', { type: 'file', 'aria-label': texts.edit.file(property.name), on: { change: async () => {
    const bytes = new Uint8Array(await file.files[0].arrayBuffer());
    let binary = '';
    for (let start = 0; start < bytes.length; start += 8192) binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
    text.value = btoa(binary);
  } } });
  return { element: element('span', { class: 'stack' }, text, file), focus: () => text.focus(), value: () => (text.value === '' && property.isOptional ? null : text.value) };
}

/** The primary key of a target, with those that begin alike as suggestions. */
function linkEditor(schema, property, value) {
  const target = schema.type(property.target);
  const key = target?.property(target.key);
  const list = element('datalist', { id: `targets-${property.name}` });
  const control = element('input', { ...name(property), type: 'text', value: value ?? '', list: list.id, placeholder: property.target, spellcheck: false });
  control.addEventListener('input', debounce(async () => {
    const isText = key?.type === 'string';
    const labelled = target?.stored.find((one) => one.name !== target.key && one.type === 'string' && one.kind === 'value');
    const conditions = [isText ? `${target.key} BEGINSWITH[c] $0` : '', labelled ? `${labelled.name} BEGINSWITH[c] $0` : ''].filter(Boolean);
    if (conditions.length === 0) return;
    try {
      const found = await read(path('collections', property.target) + query({ filter: conditions.join(' OR '), args: JSON.stringify([control.value]), limit: 12, fields: [target.key, labelled?.name].filter(Boolean).join(',') }));
      list.replaceChildren(...found.map((one) => element('option', { value: String(one[target.key]) }, labelled ? one[labelled.name] : '')));
    } catch {
      // Suggestions are left out where the class cannot be read.
    }
  }, 200));
  const isNumber = !target?.primaryKey || key?.type === 'int';
  return {
    element: element('span', { class: 'stack' }, control, list), focus: () => control.focus(),
    value: () => (control.value.trim() === '' ? null : isNumber ? typed({ type: 'int' }, control.value) : control.value.trim()),
  };
}

function jsonEditor(property, value) {
  const empty = { list: [], set: [], map: {} }[property.kind] ?? null;
  const text = stringify(value === undefined ? empty : value, value !== null && typeof value === 'object' ? 2 : undefined);
  const control = element('textarea', { ...name(property), value: text, spellcheck: false, rows: Math.min(12, text.split('\n').length + 1) });
  return {
    element: control, focus: () => control.focus(),
    value: () => {
      try {
        return parse(control.value);
      } catch (error) {
        throw new Error(texts.edit.notJSON(error.message));
      }
    },
  };
}

// A table of which only the rows that are looked at are there, as a grid that the keyboard goes through.
import { element, note } from '../Base/dom.js';
import { texts } from '../Page/texts.js';
import { keyText, segment } from './documents.js';
import { cellText, objectLink, summary } from './value.js';

const rowHeight = 30;
const spare = 8;
const widths = { bool: 6, int: 9, float: 9, double: 9, decimal128: 10, date: 15, objectId: 17, uuid: 22, data: 8 };

export class Grid {
  #pool = [];
  #first = 0;
  #active = { row: 0, column: 0 };
  #isAsked = false;

  /** `edit` is asked to change a cell, `sortBy` for another order. */
  constructor(rows, columns, { sort, sortBy, edit }) {
    this.rows = rows;
    this.edit = edit;
    this.order = { sort, sortBy };
    this.head = element('div', { class: 'row head', role: 'row', 'aria-rowindex': '1' });
    this.body = element('div', { class: 'rows', role: 'rowgroup' });
    this.element = element('div', { class: 'grid', role: 'grid', tabIndex: 0, 'aria-label': rows.type.name,
      on: { scroll: () => this.ask(), keydown: (event) => this.#key(event), dblclick: (event) => this.#doubleClick(event), click: (event) => this.#click(event) } },
      element('div', { role: 'rowgroup', class: 'heads' }, this.head), this.body);
    this.show(columns);
    this.observer = new ResizeObserver(() => this.ask());
    this.observer.observe(this.element);
  }

  /** Has other columns from the next drawing on. */
  show(columns) {
    this.columns = columns;
    const template = columns.map((column) => `${column.kind === 'value' && !column.isEmbedded ? widths[column.type] ?? 14 : 18}rem`).join(' ');
    this.head.replaceChildren(...columns.map((column) => this.#headCell(column)));
    this.head.style.gridTemplateColumns = template;
    this.template = template;
    this.element.setAttribute('aria-colcount', String(columns.length));
    for (const row of this.#pool) row.element.remove();
    this.#pool = [];
  }

  close() {
    this.observer.disconnect();
  }

  #headCell(column) {
    const { sort, sortBy } = this.order;
    const cell = element('div', { role: 'columnheader', class: column.isNumber ? 'number' : '', title: column.notation }, column.isSortable ? undefined : column.name);
    if (!column.isSortable) return cell;
    const direction = sort === column.name ? 'ascending' : sort === `-${column.name}` ? 'descending' : 'none';
    cell.setAttribute('aria-sort', direction);
    cell.append(element('button', { type: 'button', tabIndex: -1, on: { click: () => sortBy(direction === 'ascending' ? `-${column.name}` : direction === 'descending' ? '' : column.name) } },
      column.name, element('span', { 'aria-hidden': 'true' }, { ascending: ' ▲', descending: ' ▼', none: '' }[direction])));
    return cell;
  }

  /** Draws with the next frame. */
  ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    requestAnimationFrame(() => {
      this.#isAsked = false;
      this.draw();
    });
  }

  draw() {
    const { rows } = this;
    const count = rows.keys.length;
    this.element.setAttribute('aria-rowcount', String(count + 1));
    this.body.style.height = `${count * rowHeight}px`;
    const visible = Math.ceil(this.element.clientHeight / rowHeight) + spare;
    this.#first = Math.max(0, Math.min(count - visible, Math.floor(this.element.scrollTop / rowHeight) - spare / 2));
    const last = Math.min(count, this.#first + visible);
    while (this.#pool.length < visible) this.#pool.push(this.#row());
    const size = this.#pool.length;
    for (let offset = 0; offset < size; offset++) {
      // A row keeps its element as long as it is looked at.
      const index = this.#first + offset;
      const row = this.#pool[index % size];
      if (index >= last) row.hide();
      else row.show(index, rows.keys[index], rows.object(index), this.#active);
    }
    const active = this.#active.row >= this.#first && this.#active.row < last ? `cell-${this.#active.row}-${this.#active.column}` : '';
    if (active) this.element.setAttribute('aria-activedescendant', active);
    else this.element.removeAttribute('aria-activedescendant');
  }

  /** Lets the row of an object flash. */
  flash(key) {
    for (const row of this.#pool) if (keyText(row.key) === keyText(key)) row.flash();
  }

  #row() {
    const row = new GridRow(this.columns, this.template, this.rows.type);
    this.body.append(row.element);
    return row;
  }

  #rowAt(index) {
    return this.#pool.find((one) => one.index === index);
  }

  #cellOf(event) {
    const cell = event.target.closest('[role=gridcell]');
    const row = this.#pool.find((one) => one.element === cell?.parentElement);
    return row && { row: row.index, column: [...row.element.children].indexOf(cell) };
  }

  #click(event) {
    const found = this.#cellOf(event);
    if (!found || event.target.closest('a')) return;
    this.#active = found;
    this.draw();
  }

  #doubleClick(event) {
    const found = this.#cellOf(event);
    if (found) this.#edit(found);
  }

  #edit({ row, column }) {
    const object = this.rows.object(row);
    const shown = this.#rowAt(row);
    if (object && shown) this.edit(this.rows.keys[row], this.columns[column], shown.element.children[column]);
  }

  #key(event) {
    if (event.target !== this.element) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / rowHeight) - 2);
    const moves = {
      ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [page, 0], PageUp: [-page, 0],
      Home: event.ctrlKey ? [-Infinity, 0] : [0, -Infinity], End: event.ctrlKey ? [Infinity, 0] : [0, Infinity],
    };
    const move = moves[event.key];
    if (move) this.#move(...move);
    else if (event.key === 'F2') this.#edit(this.#active);
    else if (event.key === 'Enter') {
      const key = this.rows.keys[this.#active.row];
      const row = this.#rowAt(this.#active.row);
      const inside = row?.element.children[this.#active.column].querySelector('a') ?? row?.element.querySelector('a');
      if (key !== undefined) inside?.click();
    } else return;
    event.preventDefault();
  }

  #move(down, right) {
    const limit = (value, most) => Math.max(0, Math.min(most, value));
    this.#active = { row: limit(this.#active.row + down, this.rows.keys.length - 1), column: limit(this.#active.column + right, this.columns.length - 1) };
    const top = this.#active.row * rowHeight;
    const room = this.element.clientHeight - rowHeight * 2;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    if (top > this.element.scrollTop + room) this.element.scrollTop = top - room;
    this.draw();
    this.#rowAt(this.#active.row)?.element.children[this.#active.column]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}

class GridRow {
  index = -1;
  key = undefined;
  #object = undefined;
  #active = -1;

  constructor(columns, template, type) {
    this.columns = columns;
    this.type = type;
    this.cells = columns.map((column) => element('div', { role: 'gridcell', class: column.isNumber ? 'number' : column.type }));
    this.element = element('div', { class: 'row', role: 'row' }, this.cells);
    this.element.style.gridTemplateColumns = template;
  }

  hide() {
    this.element.hidden = true;
    this.index = -1;
    this.key = undefined;
  }

  show(index, key, object, active) {
    if (index !== this.index) {
      this.element.hidden = false;
      this.element.style.transform = `translateY(${index * rowHeight}px)`;
      this.element.setAttribute('aria-rowindex', String(index + 2));
      this.cells.forEach((cell, column) => { cell.id = `cell-${index}-${column}`; });
    }
    if (index === this.index && this.element.querySelector('.editing')) return;
    if (index !== this.index || key !== this.key || object !== this.#object) {
      if (object) this.#fill(object);
      else this.#wait(key, object);
    }
    const place = active.row === index ? active.column : -1;
    if (place !== this.#active) this.cells.forEach((cell, column) => cell.setAttribute('aria-selected', String(column === place)));
    [this.index, this.key, this.#object, this.#active] = [index, key, object, place];
  }

  #wait(key, object) {
    this.cells.forEach((cell, column) => { cell.textContent = column === 0 ? summary(key) : object === null ? '' : '…'; });
  }

  #fill(object) {
    this.columns.forEach((column, index) => {
      const cell = this.cells[index];
      const value = object[column.name];
      if (column.name === this.type.key) cell.replaceChildren(objectLink(this.type.name, segment(this.type, value), summary(value)));
      else if (column.isLink && column.kind === 'value' && value !== null && value !== undefined) cell.replaceChildren(objectLink(column.target, value));
      else cell.textContent = cellText(column, value);
      cell.classList.toggle('null', value === null);
    });
  }

  flash() {
    this.element.classList.remove('flash');
    // The animation begins anew where the layout has been asked for in between.
    this.element.getBoundingClientRect();
    this.element.classList.add('flash');
  }
}

export const emptyNote = (isLoading) => note(isLoading ? texts.data.loading : texts.data.none);

import type {Cell, Table, TableColumn, Value} from './data';
import {element, isolated} from './element';
import {csvOfTable, download} from './save';

/** More rows than this wait for a click: a page of thousands opens slowly. */
const rowsAtFirst = 200;

const valueOf = (cell: Cell | undefined): Value => (typeof cell === 'object' && cell ? cell.value : (cell ?? null));
const textOf = (cell: Cell): string =>
  typeof cell === 'object' && cell ? cell.text : cell === null ? '–' : String(cell);

/** What cannot be compared comes last, whatever the direction. */
function comparison(column: number, ascending: boolean): (a: Cell[], b: Cell[]) => number {
  const names = new Intl.Collator('en', {numeric: true});
  const number = (value: Value) => (value === 'inf' ? Infinity : value === '-inf' ? -Infinity : value);
  return (a, b) => {
    const x = number(valueOf(a[column]));
    const y = number(valueOf(b[column]));
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order = typeof x === 'number' && typeof y === 'number' ? x - y || 0 : names.compare(String(x), String(y));
    return ascending ? order : -order;
  };
}

const kindOf = (column: TableColumn) =>
  column.dispensable ? `${column.kind} dispensable-${column.dispensable}` : column.kind;

/** A word that would make its column too wide may be broken; others may not. */
const longestWord = 24;
const hasLongWord = (text: string) => text.split(/\s/).some((word) => word.length > longestWord);

function cellElement(cell: Cell, column: TableColumn, isName: boolean): HTMLElement {
  const alarm = typeof cell === 'object' && cell?.alarm === true;
  const text = textOf(cell);
  const kind = kindOf(column) + (alarm ? ' alarm' : '') + (hasLongWord(text) ? ' breaks' : '');
  const made = isName ? element('th', {scope: 'row', class: kind}) : element('td', {class: kind});
  if (isName && hasLongWord(text)) made.title = text; // as the end of it may be hidden
  if (column.kind === 'text') made.append(isolated(text));
  else made.append(text);
  if (alarm) made.append(element('span', {class: 'hidden'}, ' (worrying)'));
  return made;
}

/** A row of sentences, which opens where there is little room. */
function rowElement(row: Cell[], content: Table): HTMLElement {
  const cells = row.map((cell, i) => cellElement(cell, content.columns[i]!, i === 0));
  const made = element('tr', {}, ...cells);
  if (!content.prose || !content.columns.some((column) => column.dispensable)) return made;
  const more = element(
    'button',
    {
      type: 'button',
      class: 'unfold',
      'aria-expanded': 'false',
      click: () => {
        const open = made.classList.toggle('open');
        more.setAttribute('aria-expanded', String(open));
        more.textContent = open ? 'Less' : 'Why';
      },
    },
    'Why',
  );
  cells[0]!.append(more);
  return made;
}

/** A small table without buttons, whose rows are as they come. */
export function plainTable(content: Table, id: string): HTMLElement {
  const head = (column: TableColumn) => element('th', {scope: 'col', class: kindOf(column), title: column.help ?? ''}, column.title);
  return element(
    'div',
    {class: 'table plain'},
    element(
      'div',
      {class: 'scroll'},
      element(
        'table',
        {id},
        content.caption ? element('caption', {}, content.caption) : null,
        element('thead', {}, element('tr', {}, ...content.columns.map(head))),
        element('tbody', {}, ...content.rows.map((row) => rowElement(row, content))),
      ),
    ),
  );
}

export function table(content: Table, id: string, label: string): HTMLElement {
  const body = element('tbody');
  let rows = content.rows;
  let shown = rowsAtFirst;
  const more = element('button', {type: 'button', class: 'more', click: () => fill(Infinity)});
  const fill = (limit: number) => {
    shown = limit;
    body.replaceChildren(
      ...rows.slice(0, shown).map((row) => rowElement(row, content)),
    );
    more.hidden = rows.length <= shown;
    more.textContent = `Show all ${rows.length} rows`;
  };

  const heads = content.columns.map((column, i) => {
    const ascending = column.first !== 'largest';
    const head = element(
      'th',
      {scope: 'col', class: kindOf(column), 'aria-sort': 'none'},
      element(
        'button',
        {
          type: 'button',
          title: column.help ?? 'Sort',
          click: () => {
            const now = head.getAttribute('aria-sort');
            const first = ascending ? 'ascending' : 'descending';
            const next = now === first ? (ascending ? 'descending' : 'ascending') : first;
            for (const other of heads) other.setAttribute('aria-sort', 'none');
            head.setAttribute('aria-sort', next);
            rows = [...content.rows].sort(comparison(i, next === 'ascending'));
            fill(shown);
          },
        },
        column.title,
      ),
    );
    return head;
  });

  const box = element(
    'div',
    {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': label},
    element('table', {id}, content.caption ? element('caption', {}, content.caption) : null, element('thead', {}, element('tr', {}, ...heads)), body),
  );
  fill(rowsAtFirst);
  const wide = element(
    'button',
    {
      type: 'button',
      class: 'columns',
      'aria-pressed': 'false',
      click: () => wide.setAttribute('aria-pressed', String(box.classList.toggle('all'))),
    },
    'All columns',
  );
  return element(
    'div',
    {class: `table${content.prose ? ' prose' : ''}${content.columns.length > 8 ? ' many' : ''}`},
    box,
    content.omitted ? element('p', {}, `${content.omitted} more rows are left out; darboux summary has them.`) : null,
    element(
      'div',
      {class: 'actions'},
      more,
      !content.prose && content.columns.some((column) => column.dispensable) ? wide : null,
      element(
        'button',
        {
          type: 'button',
          title: 'Save as CSV',
          'aria-label': `Save as CSV: ${label}`,
          click: () => download(`${id}.csv`, csvOfTable(content)),
        },
        'CSV',
      ),
    ),
  );
}

import type {Contrast, Figure, LegendEntry, Note, Report, Section, Table} from './data';
import {knownSchema} from './data';
import {element} from './element';
import type {DrawnLater} from './figure';
import {figure} from './figure';
import {fold, openAround} from './fold';
import {plainTable, table} from './table';

const moodWords = {good: 'Good', caution: 'With care', bad: 'Not yet'};

function notes(all: Note[]): HTMLElement {
  const item = (note: Note) =>
    element('li', {}, note.finding, note.advice ? element('span', {class: 'advice'}, note.advice) : null);
  return element('ul', {class: 'notes'}, ...all.map(item));
}

/** Small tables, beside each other where there is room. */
const numbers = (all: Table[], id: string) =>
  element('div', {class: 'numbers'}, ...all.map((one, i) => plainTable(one, `${id}-${i + 1}`)));

const verdictMoods: Record<string, string> = {confirmed: 'good', 'not confirmed': 'bad'};

/** Beside each other where there is room. */
function contrasts(all: Contrast[], id: string): HTMLElement {
  const side = (label: string, ...what: (Node | string | null)[]) =>
    element('div', {}, element('dt', {}, label), element('dd', {}, ...what));
  const badge = (verdict: string) =>
    element('span', {class: verdictMoods[verdict] ?? ''}, element('span', {class: 'badge'}, verdict), ' ');
  return element(
    'div',
    {class: 'contrasts'},
    ...all.map((one, i) =>
      element(
        'dl',
        {},
        side('The paper', one.paper),
        side(
          'Here',
          one.verdict ? badge(one.verdict) : null,
          element('span', {class: 'here'}, one.here),
          one.numbers?.length ? numbers(one.numbers, `${id}-contrast-${i + 1}`) : null,
        ),
      ),
    ),
  );
}

/** What colours mean in all figures of a section. */
const legend = (entries: LegendEntry[]) =>
  element(
    'ul',
    {class: 'legend', 'aria-label': 'Colours'},
    ...entries.map(({label, colour}) => {
      const sample = element('span', {class: 'sample', 'aria-hidden': 'true'});
      sample.style.background = colour;
      return element('li', {}, sample, label);
    }),
  );

function code(text: string): HTMLElement {
  const button = element(
    'button',
    {
      type: 'button',
      click: async () => {
        const range = document.createRange();
        range.selectNodeContents(lines);
        getSelection()?.removeAllRanges();
        getSelection()?.addRange(range);
        try {
          await navigator.clipboard.writeText(text);
          button.textContent = 'Copied';
        } catch {
          button.textContent = 'Selected';
        }
      },
    },
    'Copy',
  );
  const lines = element('code', {}, text);
  return element(
    'div',
    {class: 'code'},
    element('pre', {tabindex: '0', 'aria-label': 'Command'}, lines),
    element('div', {class: 'actions'}, button),
  );
}

/** One figure need not be as wide as the page, and three stand well beside each other. */
function arrangement(figures: Figure[]): string {
  if (figures.every((one) => one.square)) return 'squares';
  const narrow = figures.filter((one) => !one.wide).length;
  return narrow === 1 && figures.length === 1 ? 'one' : narrow > 0 && narrow % 3 === 0 ? 'three' : 'two';
}

/** A section as part of the page; what is not on the first screen folds. Its figures are added to those to be drawn. */
function section(content: Section, later: DrawnLater[]): HTMLElement {
  const all = content.figures ?? [];
  const isSaid = all.length === 1 && all[0]!.title === content.title;
  const figures = all.map((one, i) =>
    figure(one, `${content.id}-${i + 1}`, {title: isSaid, legend: Boolean(content.legend?.length)}),
  );
  later.push(...figures);
  const heading = [
    element(
      'p',
      {class: 'name'},
      content.name,
      content.mood ? element('span', {class: 'badge'}, moodWords[content.mood]) : null,
    ),
    element('h2', {}, content.title),
  ];
  const body = [
    ...(content.text ?? []).map((text) => element('p', {}, text)),
    content.notes?.length ? notes(content.notes) : null,
    content.contrasts?.length ? contrasts(content.contrasts, content.id) : null,
    content.code ? code(content.code) : null,
    content.numbers?.length ? numbers(content.numbers, `${content.id}-numbers`) : null,
    content.table ? table(content.table, `${content.id}-table`, content.name) : null,
    content.legend?.length ? legend(content.legend) : null,
    figures.length
      ? element('div', {class: `figures ${arrangement(all)}`}, ...figures.map((one) => one.element))
      : null,
  ];
  return element(
    'section',
    {id: content.id, class: [content.mood ?? '', content.lead ? 'lead' : ''].filter(Boolean).join(' ')},
    ...(content.lead ? [...heading, ...body] : [fold(heading, body)]),
  );
}

/** A line, or one for each of two parts. Parts are named where their sections' names do not tell them apart. */
function contents(sections: Section[]): HTMLElement {
  const link = (one: Section) => element('li', {}, element('a', {href: `#${one.id}`}, one.name));
  const names = new Set(sections.map((one) => one.name));
  const parts = names.size < sections.length ? [...new Set(sections.map((one) => one.part ?? ''))] : [];
  const list = (all: Section[]) => element('ul', {}, ...all.map(link));
  return element(
    'nav',
    {'aria-label': 'Contents', class: parts.length > 2 ? 'in-line' : ''},
    ...(parts.length
      ? parts.map((part) =>
          element('div', {}, element('span', {title: part}, part), list(sections.filter((one) => (one.part ?? '') === part))),
        )
      : [list(sections)]),
  );
}

/** Marks the section that is being read in the list of contents, and keeps it in sight there. */
function followReader(nav: HTMLElement) {
  const links = [...nav.querySelectorAll('a')];
  const sections = links.map((link) => document.getElementById(link.hash.slice(1))!);
  let current: HTMLAnchorElement | undefined;
  const follow = () => {
    const line = nav.offsetHeight + innerHeight / 4;
    const next = links[sections.filter((section) => section.getBoundingClientRect().top < line).length - 1];
    if (next === current) return;
    current?.removeAttribute('aria-current');
    current = next;
    current?.setAttribute('aria-current', 'true');
    const list = current?.closest('.in-line, ul');
    if (list) list.scrollLeft = current!.offsetLeft - list.clientWidth / 3;
  };
  addEventListener('scroll', follow, {passive: true});
}

function page(report: Report, later: DrawnLater[]): Node[] {
  const lead = report.sections.filter((one) => one.lead);
  const rest = report.sections.filter((one) => !one.lead);
  const main = element('main', {id: 'report'}, element('div', {class: 'first'}, ...lead.map((one) => section(one, later))));
  if (rest.length) main.append(contents(rest));
  let part = '';
  for (const one of rest) {
    if (one.part && one.part !== part) main.append(element('p', {class: 'part'}, one.part));
    part = one.part ?? '';
    main.append(section(one, later));
  }
  return [
    element('a', {class: 'skip', href: '#report'}, 'Skip to the report'),
    element(
      'header',
      {},
      element('h1', {}, report.title),
      element('ul', {class: 'facts'}, ...report.facts.map((fact) => element('li', {}, fact))),
    ),
    main,
    element('footer', {}, report.made_by),
  ];
}

const nextFrame = () => new Promise((done) => setTimeout(done));

async function drawOne(one: DrawnLater) {
  try {
    await one.draw();
  } catch (error) {
    one.element.append(element('p', {class: 'alarm'}, `This figure could not be drawn: ${String(error)}`));
    console.error(error);
  }
}

/** From the top down, with pauses in which the page reacts; all at once for a printer. What is folded waits until it is opened. */
async function drawAll(later: DrawnLater[]) {
  let printing = false;
  addEventListener('beforeprint', () => (printing = true));
  for (const one of later) {
    const folded = one.element.closest<HTMLDetailsElement>('details:not([open])');
    if (folded) {
      folded.addEventListener('toggle', () => void drawOne(one), {once: true});
      continue;
    }
    await drawOne(one);
    if (!printing) await nextFrame();
    performance.mark('figure');
  }
}

async function open() {
  const root = document.getElementById('report_page')!;
  try {
    const report = JSON.parse(document.getElementById('report_data')!.textContent!) as Report;
    if (report.schema !== knownSchema) throw new Error(`${report.schema} is not known to this page`);
    document.title = report.title;
    const later: DrawnLater[] = [];
    root.replaceChildren(...page(report, later));
    const nav = root.querySelector('nav');
    if (nav) followReader(nav);
    openAround(root);
    performance.mark('tables');
    await drawAll(later);
  } catch (error) {
    root.replaceChildren(element('p', {class: 'alarm'}, `This report cannot be shown: ${String(error)}`));
    console.error(error);
  }
  document.documentElement.dataset.state = 'drawn';
}

void open();

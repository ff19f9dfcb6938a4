import {element} from './element';

/** Where there is little room, a page is a list of findings, each of which opens. */
const startsFolded = () => matchMedia('(max-width: 700px)').matches;

/** What is behind a heading that opens and closes it. */
export function fold(heading: HTMLElement[], body: (HTMLElement | null)[]): HTMLDetailsElement {
  return element(
    'details',
    {class: 'fold', open: !startsFolded()},
    element('summary', {}, element('div', {}, ...heading)),
    ...body,
  );
}

/** Opens what links lead to, and everything for a printer. */
export function openAround(root: HTMLElement) {
  const openOne = (id: string) => {
    const found = document.getElementById(id)?.querySelector<HTMLDetailsElement>(':scope > details');
    if (found) found.open = true;
  };
  root.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
    if (link) openOne(link.hash.slice(1));
  });
  if (location.hash) openOne(location.hash.slice(1));
  addEventListener('beforeprint', () => {
    for (const one of root.querySelectorAll('details')) one.open = true;
  });
}

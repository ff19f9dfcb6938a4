import embed from 'vega-embed';
import type {VisualizationSpec} from 'vega-embed';
import type {DataColumn, Figure, Value} from './data';
import {element} from './element';
import {csvOfColumns, download, pngOf, withPlainColours} from './save';
import {config} from './theme';

function rows(columns: DataColumn[]): Record<string, Value>[] {
  const count = columns[0]?.values.length ?? 0;
  return Array.from({length: count}, (_, i) =>
    Object.fromEntries(columns.map((column) => [column.name, column.values[i] ?? null])),
  );
}

interface Encoded {
  encoding?: {color?: {field?: string}};
  layer?: Encoded[];
}

/** Characters of the longest entry of the legend: a value of the column that colours stand for. */
function longestLabel({spec, data}: Figure): number {
  const {encoding, layer} = spec as Encoded;
  const field = (encoding ?? layer?.[0]?.encoding)?.color?.field;
  const labels = data.find((column) => column.name === field)?.values ?? [];
  return labels.reduce<number>((most, label) => Math.max(most, String(label).length), 0);
}

/** A figure and how to draw it; drawing may wait. */
export interface DrawnLater {
  element: HTMLElement;
  draw: () => Promise<void>;
}

/** What stands above already, and need not be there twice. */
export interface Above {
  title?: boolean;
  legend?: boolean;
}

export function figure(content: Figure, id: string, above: Above): DrawnLater {
  const height = content.height ?? 230;
  const plot = element('div', {class: 'plot'});
  plot.style.minHeight = `${height}px`; // so that nothing jumps when it is drawn
  let toSvg: (() => Promise<string>) | undefined;

  const save = (kind: string, make: () => Promise<Blob> | Blob) =>
    element(
      'button',
      {
        type: 'button',
        title: `Save as ${kind}`,
        'aria-label': `Save as ${kind}: ${content.title}`,
        click: async () => download(`${id}.${kind.toLowerCase()}`, await make()),
      },
      kind,
    );
  const picture = async () => withPlainColours((await toSvg?.()) ?? '');
  const made = element(
    'figure',
    {id, class: content.wide ? 'wide' : ''},
    above.title ? null : element('h3', {}, content.title),
    content.wide
      ? element('div', {class: 'scroll', role: 'region', tabindex: '0', 'aria-label': content.title}, plot)
      : plot,
    element(
      'figcaption',
      {},
      content.caption ? element('p', {}, content.caption) : null,
      element(
        'div',
        {class: 'actions'},
        save('SVG', async () => new Blob([await picture()], {type: 'image/svg+xml'})),
        save('PNG', async () => pngOf(await picture())),
        save('CSV', () => csvOfColumns(content.data)),
      ),
    ),
  );

  const draw = async () => {
    const roomForAxis = 60;
    const side = Math.min(height, plot.clientWidth - roomForAxis);
    const size = content.square
      ? {width: side, height: side}
      : {width: 'container', height, autosize: {type: 'fit-x', contains: 'padding'}};
    const spec = {
      ...content.spec,
      ...size,
      description: [content.title, content.caption].filter(Boolean).join('. '),
      data: {values: rows(content.data)},
    } as unknown as VisualizationSpec;
    // An interpreter of expressions instead of generated code: the page forbids the latter.
    const drawnIn = (place: HTMLElement, width: number, legend: boolean) =>
      embed(place, spec, {
        ast: true,
        actions: false,
        renderer: 'svg',
        defaultStyle: false,
        config: config(width, longestLabel(content), legend),
      });
    const drawn = await drawnIn(plot, plot.clientWidth, !above.legend);
    // A picture by itself has its legend.
    toSvg = async () => {
      if (!above.legend) return drawn.view.toSVG();
      const aside = element('div', {class: 'aside'});
      aside.style.width = `${plot.clientWidth}px`;
      plot.append(aside);
      try {
        return await (await drawnIn(aside, plot.clientWidth, true)).view.toSVG();
      } finally {
        aside.remove();
      }
    };
    if (content.square) plot.style.minHeight = '0'; // it may have turned out smaller
    plot.classList.add('drawn');
  };
  return {element: made, draw};
}

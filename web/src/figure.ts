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

/** A figure and how to draw it; drawing may wait. */
export interface DrawnLater {
  element: HTMLElement;
  draw: () => Promise<void>;
}

/** A title that stands above already may be left out. */
export function figure(content: Figure, id: string, titled: boolean): DrawnLater {
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
    {id},
    titled ? element('h3', {}, content.title) : null,
    plot,
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
    const spec = {
      ...content.spec,
      width: 'container',
      height,
      autosize: {type: 'fit-x', contains: 'padding'},
      description: [content.title, content.caption].filter(Boolean).join('. '),
      data: {values: rows(content.data)},
    } as unknown as VisualizationSpec;
    // An interpreter of expressions instead of generated code: the page forbids the latter.
    const drawn = await embed(plot, spec, {
      ast: true,
      actions: false,
      renderer: 'svg',
      defaultStyle: false,
      config: config(plot.clientWidth),
    });
    toSvg = () => drawn.view.toSVG();
    plot.classList.add('drawn');
  };
  return {element: made, draw};
}

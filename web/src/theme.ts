import type {Config} from 'vega-embed';

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

/** For figures of a width, with legends of that many characters at most, or none. Colours are the page's own by name, so that light, dark and print need no second drawing. */
export const config = (width: number, longestLabel: number, legend: boolean): Config => ({
  background: 'transparent',
  font,
  padding: 2,
  view: {stroke: null},
  range: {category: Array.from({length: 8}, (_, i) => `var(--chain-${i + 1})`)},
  axis: {
    labelColor: 'var(--muted)',
    titleColor: 'var(--ink)',
    titleFontWeight: 'normal',
    titleFontSize: 12,
    titleLimit: 260,
    labelFontSize: 11,
    labelLimit: 140,
    gridColor: 'var(--line)',
    domainColor: 'var(--line)',
    tickColor: 'var(--line)',
    titlePadding: 8,
  },
  axisX: {grid: false, labelFlush: false, tickCount: 6},
  axisY: {domain: false, ticks: false, tickCount: 5},
  legend: {
    disable: !legend,
    orient: 'top',
    direction: 'horizontal',
    title: null,
    titleColor: 'var(--ink)',
    titleFontWeight: 'normal',
    labelColor: 'var(--muted)',
    labelFontSize: 11,
    symbolStrokeWidth: 2,
    padding: 0,
    offset: 6,
    labelLimit: width - 60,
    columnPadding: 12,
    columns: Math.max(1, Math.floor((width - 50) / (36 + 6.2 * longestLabel))),
  },
  text: {color: 'var(--ink)', fontSize: 11},
  rule: {color: 'var(--muted)'},
  line: {strokeWidth: 1.2, strokeJoin: 'round'},
  point: {filled: true, size: 22},
  bar: {color: 'var(--chain-1)'},
});

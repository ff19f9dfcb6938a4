// node render.mjs FOLDER: draws every NAME.vl.json in it, a Vega-Lite specification, as NAME.svg.
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Error as OnlyErrors, View, logger, parse} from 'vega';
import {compile} from 'vega-lite';

const folder = process.argv[2];
if (!folder) throw new Error('usage: node render.mjs FOLDER');
const suffix = '.vl.json';
for (const name of readdirSync(folder).filter((name) => name.endsWith(suffix))) {
  const spec = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const view = new View(parse(compile(spec, {logger: logger(OnlyErrors)}).spec), {renderer: 'none'});
  writeFileSync(join(folder, name.slice(0, -suffix.length) + '.svg'), await view.toSVG());
  view.finalize();
}

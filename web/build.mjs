// node build.mjs OUT: bundles the page into one file. Only @DATA@ is left open; darboux report fills it in. Beside it goes
// render.mjs, which draws figures as SVG without a browser.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) throw new Error('usage: node build.mjs OUT');
const source = (name) => readFileSync(join(here, 'src', name), 'utf8');

const bundle = await build({
  entryPoints: [join(here, 'src', 'report.ts')],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2021',
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'warning',
});
// A script ends at the first </script, wherever that stands.
const script = bundle.outputFiles[0].text.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '\\x3c!--');
const styles = await build({entryPoints: [join(here, 'src', 'style.css')], bundle: true, minify: true, write: false, logLevel: 'warning'});
const parts = {
  SCRIPT: script,
  SCRIPT_HASH: createHash('sha256').update(script).digest('base64'),
  STYLE: styles.outputFiles[0].text.trim(),
};
// Functions, because $ means something in replacement texts.
const page = source('page.html').replace(/@(SCRIPT|SCRIPT_HASH|STYLE)@/g, (_, name) => parts[name]);
mkdirSync(dirname(out), {recursive: true});
writeFileSync(out, page);
console.log(`${out}: ${(page.length / 1e6).toFixed(2)} MB`);

await build({
  entryPoints: [join(here, 'src', 'render.mjs')],
  bundle: true,
  minify: true,
  outfile: join(dirname(out), 'render.mjs'),
  format: 'esm',
  platform: 'node',
  target: 'node18',
  external: ['canvas'], // for bitmaps, which nobody asks for
  legalComments: 'none',
  logLevel: 'warning',
});

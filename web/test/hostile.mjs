// Reports of runs whose every name was chosen by somebody with bad intentions: all of it is text. Nothing runs, nothing is asked for
// elsewhere, no link leads anywhere; and the page's policy would not let it.
import {createServer} from 'node:http';
import {cpSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {open} from './browser.mjs';
import {check, expect, same} from './checks.mjs';

/** What would tell that it got through: a script by `hacked`, a request by the server that it goes to. */
const attacks = (address) => [
  '</script><img src=x onerror=window.hacked=1>',
  `<img src=${address}/picture>`,
  `<style>@import url(${address}/style); * {background: url(${address}/background)}</style>`,
  `<link rel=stylesheet href=${address}/link>`,
  `<svg onload=window.hacked=2><image href=${address}/image></svg>`,
  `<iframe src=${address}/frame></iframe><meta http-equiv=refresh content="0;url=${address}/meta">`,
  `<a href="javascript:window.hacked=3" ping=${address}/ping>click</a>`,
  'javascript:window.hacked=4',
  `${address}/plain`,
  '"><script>window.hacked=5</script>',
  '\u202egnp.exe\u202c \u2066x\u2069 \u0000\u0007\u001b[2J\u2028',
  '{{constructor.constructor("window.hacked=6")()}} ${window.hacked=7} @DATA@',
  '<!--<script>',
];

/** Every text in a value gets another attack behind it; `kept` are fields whose texts have a meaning. */
function spoilt(value, next, kept) {
  if (typeof value === 'string') return value + next();
  if (Array.isArray(value)) return value.map((one) => spoilt(one, next, kept));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, kept.has(key) ? one : spoilt(one, next, kept)]));
}

/** A copy of a run, with such texts in its manifest, in the comments of its files and in the names of its columns. */
function spoil(out, from, to, address, model) {
  const folder = join(out, to);
  rmSync(folder, {recursive: true, force: true});
  cpSync(join(out, from), folder, {recursive: true});
  const all = attacks(address);
  let count = 0;
  const next = () => all[count++ % all.length];
  const run = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  const kept = new Set(['schema', 'status', 'stopped_by', 'files', 'asked', 'kind', 'coding', 'chosen']);
  const changed = spoilt(run, next, kept);
  changed.status = 'failed'; // so that its message is shown
  changed.message = all.join(' ');
  changed.warnings = all;
  changed.asked = {...run.asked, model, data: `${address}/data.csv`, columns: all, out: all[0]};
  changed.decided = {...run.decided, ...Object.fromEntries(all.map((text, i) => [`${i}${text}`, text]))};
  writeFileSync(join(folder, 'run.json'), JSON.stringify(changed));
  for (const file of readdirSync(folder).filter((name) => /^chain_.*\.csv$/.test(name))) {
    const text = readFileSync(join(folder, file), 'utf8').replace(/^# model = .*$/m, `# model = ${model}`);
    const lines = text.split('\n');
    const head = lines.findIndex((line) => line.startsWith('lp__'));
    const fits = all.map((one) => one.replace(/[,"\n\u0000]/g, ' '));
    lines[head] = lines[head].split(',').map((name, i) => (name.endsWith('__') ? name : `${i}${fits[i % fits.length]}`)).join(',');
    writeFileSync(join(folder, file), lines.join('\n'));
  }
  return folder;
}

/** The page as it stands, with all that DevTools saw of it. */
async function openWatched(browser, file) {
  const opened = await open(browser, file);
  const asked = [];
  const devtools = await opened.context.newCDPSession(opened.page);
  devtools.on('Network.requestWillBeSent', ({request}) => asked.push(request.url));
  await devtools.send('Network.enable');
  await opened.page.reload();
  await opened.page.waitForSelector('html[data-state=drawn]');
  return {...opened, asked};
}

/** Over marks of every figure, whose tooltips show what they stand for. */
async function hover(page) {
  for (const plot of await page.locator('.plot svg').all())
    for (const mark of (await plot.locator('path[aria-label], text').all()).slice(0, 3))
      await mark.hover({force: true, timeout: 2000}).catch(() => {}); // some are behind others
}

export async function checkHostile({browser, out, call}) {
  const requests = [];
  const server = createServer((request, response) => {
    requests.push(request.url);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${server.address().port}`;
  const programs = ['</script><img src=x onerror=window.hacked=8>.stan', `${address}/model.so`];
  const first = spoil(out, 'german', '<img src=x onerror=window.hacked=9>', address, programs[0]);
  const second = spoil(out, 'magnetic', "'\"><svg onload=window.hacked=10>", address, programs[1]);
  try {
    for (const [what, folders] of [['one run', [first]], ['two runs', [first, second]], ['files alone', [join(second, 'chain_1.csv')]]])
      await check(`of ${what} with hostile texts everywhere, all are text`, async () => {
        const file = join(out, 'spoilt.html');
        call('report', ...folders, '--out', file);
        const {page, problems, asked, context} = await openWatched(browser, file);
        await hover(page);
        same(problems, [], 'problems');
        same(asked.filter((url) => !/^(file|data|blob):/.test(url)), [], 'what the page asked for');
        same(requests, [], 'what the server was asked for');
        same(await page.evaluate(() => window.hacked ?? null), null, 'what a text has done');
        same(await page.locator('img, iframe, object, embed, link, image, audio, video, [ping], form[action]').count(), 0, 'elements that load something');
        same(await page.locator('script').count(), 2, 'scripts');
        const links = await page.locator('[href], [src]').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? one.getAttribute('src')));
        same(links.filter((link) => !/^#[\w-]+$/.test(link)), [], 'links that lead out of the page');
        const shown = await page.evaluate(() => document.body.textContent);
        expect(shown.includes('onerror=window.hacked'), 'no such text is shown: nothing was tried');
        await context.close();
      });
    await check('what got through in spite of that, the page would not allow', async () => {
      const {page, context} = await open(browser, join(out, 'spoilt.html'));
      const refused = await page.evaluate(async (there) => {
        const violations = [];
        document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
        const add = (tag, attributes, text = '') => document.body.append(Object.assign(document.createElement(tag), attributes, {textContent: text}));
        add('img', {src: `${there}/img`});
        add('iframe', {src: `${there}/iframe`});
        add('link', {rel: 'stylesheet', href: `${there}/link`});
        add('script', {src: `${there}/script`});
        add('script', {}, 'window.hacked = 11');
        await fetch(`${there}/fetch`).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 500));
        return violations;
      }, address);
      for (const directive of ['img-src', 'frame-src', 'style-src-elem', 'script-src-elem', 'connect-src'])
        expect(refused.includes(directive), `${directive} refused nothing: ${refused}`);
      same(await page.evaluate(() => window.hacked ?? null), null, 'what a script has done');
      same(requests, [], 'what the server was asked for');
      await context.close();
    });
  } finally {
    server.close();
  }
}

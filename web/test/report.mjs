// node report.mjs PROGRAM DATA OUT: reports in Chromium show what the program found, whoever looks at them and how.
import {execFileSync} from 'node:child_process';
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {launch, open} from './browser.mjs';
import {hostileNames, makeRuns, reproduce} from './runs.mjs';

const [darboux, data, out] = process.argv.slice(2);
const call = (...settings) => execFileSync(darboux, settings, {encoding: 'utf8', maxBuffer: 1 << 28});
const reportOf = (...names) => {
  const file = join(out, `${names.join('-')}.html`);
  call('report', ...names.map((name) => join(out, name)), '--out', file);
  return file;
};
const dataOf = (...names) => JSON.parse(call('report', ...names.map((name) => join(out, name)), '--json', '-'));

let failures = 0;
async function check(name, action) {
  try {
    await action();
    console.log(`passed: ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAILED: ${name}: ${String(error?.message ?? error).split('\n')[0]}`);
  }
}
function expect(truth, problem) {
  if (!truth) throw new Error(problem);
}
function same(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  expect(a === b, `${what}: ${a.slice(0, 200)} instead of ${b.slice(0, 200)}`);
}

async function downloaded(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return {name: download.suggestedFilename(), content: readFileSync(await download.path())};
}

/** The cells of a CSV text. */
function csv(text) {
  const cell = /("((?:[^"]|"")*)"|[^,\n]*)(,|\n)/gy;
  const rows = [[]];
  for (let found; (found = cell.exec(text)); ) {
    rows.at(-1).push(found[2] === undefined ? found[1] : found[2].replaceAll('""', '"'));
    if (found[3] === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** WCAG's measure, of two colours as CSS computes them. */
function contrast(a, b) {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/\d+(\.\d+)?/g).map((c) => {
      const x = Number(c) / 255;
      return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

const figuresIn = (report) => report.sections.flatMap((section) => section.figures ?? []);

/** Every figure of the report is there, with marks in it; the page complains about nothing and asks for nothing. */
async function checkDrawn({page, problems}, report) {
  const wanted = figuresIn(report);
  same(await page.locator('figure').count(), wanted.length, 'figures');
  const marks = await page.locator('figure').evaluateAll((figures) =>
    figures.map((figure) => figure.querySelectorAll('svg .mark-group .role-mark > *').length));
  const empty = marks.findIndex((count) => count === 0);
  expect(empty < 0, `nothing is drawn in "${wanted[empty]?.title}"`);
  const bad = await page.locator('svg').evaluateAll((all) => all.some((svg) => /NaN|undefined|Infinity/.test(svg.innerHTML)));
  expect(!bad, 'NaN, Infinity or undefined in a picture');
  const twice = await page.locator('[id]').evaluateAll((all) =>
    all.map((one) => one.id).filter((id, i, ids) => ids.indexOf(id) !== i));
  same(twice, [], 'ids that are there twice');
  same(problems, [], 'problems');
}

makeRuns(darboux, data, out);
const browser = await launch();
try {
  for (const name of ['german', 'coupled', 'approximate', 'stray', 'divergent', 'hostile'])
    await check(`all figures of ${name} are drawn, without errors or requests`, async () => {
      const opened = await open(browser, reportOf(name));
      await checkDrawn(opened, dataOf(name));
      await opened.context.close();
    });

  const german = await open(browser, reportOf('german'));
  const {page} = german;
  const summary = JSON.parse(call('summary', join(out, 'german'), '--json', '-'));
  const columns = ['mean', 'mcse_mean', 'sd', 'q5', 'q50', 'q95', 'ess_bulk', 'ess_tail', 'rhat'];

  await check('the table has the numbers of darboux summary, to the last digit', async () => {
    const {name, content} = await downloaded(page, page.locator('#summary .actions button', {hasText: 'CSV'}));
    same(name, 'summary-table.csv', 'file name');
    const rows = csv(content.toString()).slice(1);
    same(rows.map((row) => row[0]), summary.rows.map((row) => row.name), 'names');
    same(rows.map((row) => row.slice(1).map(Number)), summary.rows.map((row) => columns.map((c) => row[c])), 'numbers');
  });
  await check('cells show these numbers, rounded', async () => {
    const shown = await page.locator('#summary-table tbody tr').evaluateAll((rows) =>
      rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
    same(shown.length, summary.rows.length, 'rows');
    shown.forEach((cells, i) => columns.forEach((column, j) => {
      const [text, value] = [cells[j + 1], summary.rows[i][column]];
      const unit = 10 ** -(text.split('.')[1]?.split('e')[0].length ?? 0) * 10 ** Number(text.split('e')[1] ?? 0);
      expect(Math.abs(Number(text) - value) <= 0.5001 * unit, `${cells[0]} ${column}: ${text} for ${value}`);
    }));
  });

  const order = () => page.locator('#summary-table tbody th').allTextContents();
  const sorted = (column, sign) => [...summary.rows].sort((a, b) => sign * (a[column] - b[column])).map((row) => row.name);
  const head = (title) => page.locator('#summary-table thead th', {hasText: title});
  await check('a click sorts by effective size, smallest first, and another by largest', async () => {
    await head('ESS bulk').locator('button').click();
    same(await order(), sorted('ess_bulk', 1), 'order');
    same(await head('ESS bulk').getAttribute('aria-sort'), 'ascending', 'aria-sort');
    await head('ESS bulk').locator('button').click();
    same(await order(), sorted('ess_bulk', -1), 'order');
  });
  await check('the keyboard sorts by R̂, largest first', async () => {
    await head('ESS tail').locator('button').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    same(await order(), sorted('rhat', -1), 'order');
    same(await head('R̂').getAttribute('aria-sort'), 'descending', 'aria-sort');
  });
  await check('the Tab key reaches every button and link, and shows where it is', async () => {
    const all = await page.locator('a:visible, button:visible').count();
    await page.evaluate(() => document.activeElement.blur());
    const reached = new Set();
    for (let i = 0; i < 2 * all + 20; ++i) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const found = document.activeElement;
        if (!found.matches('a, button')) return null;
        const focusable = [...document.querySelectorAll('a, button')];
        return {place: focusable.indexOf(found), outline: getComputedStyle(found).outlineStyle};
      });
      if (!at) continue;
      expect(at.outline !== 'none', 'focus is not to be seen');
      reached.add(at.place);
    }
    expect(reached.size >= all, `${reached.size} of ${all} were reached`);
  });
  await check('every button has a name, every picture a description', async () => {
    const unnamed = await page.locator('button').evaluateAll((all) =>
      all.filter((one) => !(one.getAttribute('aria-label') || one.textContent).trim()).length);
    same(unnamed, 0, 'buttons without a name');
    const described = await page.locator('figure .plot').evaluateAll((all) =>
      all.every((plot) => (plot.querySelector('[aria-label]')?.getAttribute('aria-label') ?? '').length > 10));
    expect(described, 'a picture lacks its description');
  });

  await check('verdict, table and main figure are on the first screen', async () => {
    same(await page.locator('#verdict h2').textContent(), `All ${summary.rows.length} quantities converged: largest R̂ ` +
      Math.max(...summary.rows.map((row) => row.rhat)).toFixed(3), 'verdict');
    await page.evaluate(() => scrollTo({top: 0, behavior: 'instant'}));
    for (const id of ['verdict', 'summary', 'main']) {
      const box = await page.locator(`#${id}`).boundingBox();
      expect(box.y >= 0 && box.y < 500, `${id} begins at ${box.y}`);
    }
  });
  await check('all axes that carry numbers say their unit', async () => {
    const missing = [];
    const look = (spec, title) => {
      for (const layer of spec.layer ?? []) look(layer, title);
      for (const [channel, field] of Object.entries(spec.encoding ?? {}))
        if (['x', 'y'].includes(channel) && field.type === 'quantitative' && field.title !== undefined && !/\(.+\)/.test(field.title))
          missing.push(`${title}: ${field.title}`);
    };
    for (const name of ['german', 'coupled', 'divergent', 'stray'])
      for (const figure of figuresIn(dataOf(name))) look(figure.spec, figure.title);
    same(missing, [], 'axes without a unit');
  });

  const figure = page.locator('figure').first();
  const save = (kind) => figure.locator('.actions button', {hasText: kind});
  await check('a figure is saved as SVG, in plain colours', async () => {
    const {name, content} = await downloaded(page, save('SVG'));
    const text = content.toString();
    same(name, 'main-1.svg', 'file name');
    expect(text.startsWith('<svg') && text.includes('</svg>'), 'no SVG');
    expect(!text.includes('var(') && text.includes('#0072b2'), 'colours have no values');
    const parsed = await page.evaluate((svg) => new DOMParser().parseFromString(svg, 'image/svg+xml').querySelector('parsererror') === null, text);
    expect(parsed, 'not well-formed');
  });
  await check('a figure is saved as PNG', async () => {
    const {name, content} = await downloaded(page, save('PNG'));
    same(name, 'main-1.png', 'file name');
    same(content.subarray(1, 4).toString(), 'PNG', 'signature');
    expect(content.readUInt32BE(16) > 1000, 'it is too small to be sharp');
    const colours = await page.evaluate(async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], {type: 'image/png'}));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      const pixels = new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
      return new Set(pixels).size;
    }, [...content]);
    expect(colours > 10, `it has ${colours} colours`);
  });
  await check('the data behind a figure are saved as CSV', async () => {
    const {content} = await downloaded(page, save('CSV'));
    const wanted = dataOf('german').sections.find((section) => section.id === 'main').figures[0].data;
    const rows = csv(content.toString());
    same(rows[0], wanted.map((column) => column.name), 'columns');
    same(rows.slice(1).map((row) => row[0]), wanted[0].values, 'names');
    same(rows.slice(1).map((row) => Number(row[1])), wanted[1].values, 'numbers');
  });
  await check('the command to run it again does so', async () => {
    const command = await page.locator('#configuration code').textContent();
    const again = command.replace(/--out \S+/, `--out '${join(out, 'again')}' --quiet`).replace(/^darboux/, `'${darboux}'`);
    execFileSync('sh', ['-c', `rm -rf '${join(out, 'again')}' && ${again}`]);
    const rows = (run) => readFileSync(join(out, run, 'chain_4.csv'), 'utf8').split('\n').filter((line) => !line.startsWith('#'));
    same(rows('again'), rows('german'), 'draws');
  });
  await german.context.close();

  for (const colorScheme of ['light', 'dark'])
    await check(`texts can be read on the ${colorScheme} page`, async () => {
      const {page, context} = await open(browser, join(out, 'stray.html'), {colorScheme});
      const background = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      expect((contrast(background, 'rgb(255, 255, 255)') > 10) === (colorScheme === 'dark'), `background ${background}`);
      const pairs = await page.evaluate(() => {
        const behind = (one) => {
          for (let at = one; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (!/, 0\)$|transparent/.test(colour)) return colour;
          }
        };
        const texts = [...document.querySelectorAll('h1, h2, h3, p, li, th, td, button, code, figcaption, .badge, .advice, .alarm')];
        const svg = [...document.querySelectorAll('svg text')].filter((text) => text.textContent);
        return [...texts.map((one) => [one.textContent.slice(0, 20), getComputedStyle(one).color, behind(one)]),
          ...svg.map((one) => [one.textContent.slice(0, 20), getComputedStyle(one).fill, behind(one.closest('figure'))])];
      });
      for (const [text, front, back] of pairs)
        expect(contrast(front, back) >= 4.5, `"${text}" has contrast ${contrast(front, back).toFixed(1)}`);
      await context.close();
    });

  await check('nothing is wider than a phone', async () => {
    for (const name of ['german', 'hostile', 'coupled']) {
      const {page, context} = await open(browser, join(out, `${name}.html`), {viewport: {width: 360, height: 740}});
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width <= 360, `${name} is ${width} pixels wide`);
      for (const title of ['mean', 'ESS bulk', 'R̂']) {
        const box = await page.locator('#summary-table thead th', {hasText: title}).boundingBox();
        expect(name === 'hostile' || (box && box.x + box.width <= 360), `${name}: ${title} is out of sight`);
      }
      await context.close();
    }
  });
  await check('on paper it is light, without buttons, and complete', async () => {
    const {page, context} = await open(browser, join(out, 'german.html'), {colorScheme: 'dark'});
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    same(await page.locator('nav:visible, button:visible:not(thead button)').count(), 0, 'things to click');
    const {ink, hidden, columns} = await page.evaluate(() => ({
      ink: getComputedStyle(document.querySelector('h2')).color,
      hidden: [...document.querySelectorAll('.scroll')].filter((box) => box.scrollHeight > box.clientHeight + 1).length,
      columns: document.querySelectorAll('#summary-table thead th').length,
    }));
    expect(contrast(ink, 'rgb(255, 255, 255)') > 10, `the ink is ${ink}`);
    same(hidden, 0, 'tables with hidden rows');
    same(await page.locator('#summary-table thead th:visible').count(), columns, 'columns');
    const paper = await page.pdf({format: 'A4', path: join(out, 'german.pdf')});
    expect(paper.length > 20_000, 'the PDF is empty');
    await context.close();
  });

  await check('hostile names are text', async () => {
    const {page, problems, context} = await open(browser, join(out, 'hostile.html'));
    same(problems, [], 'problems');
    same(await page.evaluate(() => window.hacked ?? null), null, 'what a name has done');
    const wanted = JSON.parse(call('summary', join(out, 'hostile'), '--json', '-')).rows.map((row) => row.name);
    same(await page.locator('#summary-table tbody bdi').allTextContents(), wanted, 'names');
    same(wanted.length, hostileNames.length + 1, 'number of names');
    same(await page.locator('script').count(), 2, 'scripts');
    same(await page.locator('img').count(), 0, 'pictures');
    const backwards = await page.locator('h1, h2, h3, li, p, figcaption, svg text').evaluateAll((all) =>
      all.filter((one) => one.textContent.includes('\u202e')).length);
    same(backwards, 0, 'sentences that could be turned around');
    await context.close();
  });

  await check('a chain that stands apart is named, and shown first', async () => {
    const {page, context} = await open(browser, join(out, 'stray.html'));
    expect(/^Not converged: the chains disagree in 1 of 4 quantities/.test(await page.locator('#verdict h2').textContent()), 'verdict');
    expect(/^Chain 3 stands apart in beta\[2\] \(R̂ 1\.\d+\)$/.test(await page.locator('#main h2').textContent()), 'main figure');
    expect(await page.locator('#summary-table .alarm').count() > 0, 'nothing alarms in the table');
    await context.close();
  });
  await check('divergent draws are counted and shown where they lie', async () => {
    const {page, context} = await open(browser, join(out, 'divergent.html'));
    same(await page.locator('#divergences h2').textContent(), '44 of 1,200 transitions diverged (3.7 %)', 'title');
    expect(/tau/.test(await page.locator('#main h2').textContent()), 'main figure is not about tau');
    await context.close();
  });
  await check('a run on another phase space shows eigenvalues, failures and solver iterations', async () => {
    const report = dataOf('coupled');
    const section = report.sections.find((one) => one.id === 'phase-space');
    const rates = section.figures[0].data.find((column) => column.name === 'rate').values;
    const told = call('structure', 'coupled', '--dimension', '4', '--strength', '0.5').match(/times (.*)/)[1].split(' ').map(Number);
    same(rates.map((x) => x.toPrecision(4)), told.map((x) => x.toPrecision(4)), 'eigenvalues');
    expect(/solver iterations/.test(section.figures[2].title), 'no solver iterations');
    const chains = JSON.parse(call('summary', join(out, 'coupled'), '--json', '-')).chains;
    const titles = section.table.columns.map((column) => column.title);
    const column = (title) => section.table.rows.map((row) => row[titles.indexOf(title)].value);
    same(column('not reversible'), chains.map((chain) => chain.not_reversible), 'reversibility failures');
    same(column('not converged'), chains.map((chain) => chain.not_converged), 'failed solves');
    same(report.sections.filter((one) => one.id === 'phase-space').length, 1, 'panels');
    same(dataOf('german').sections.filter((one) => one.id === 'phase-space').length, 0, 'panels of a canonical run');
  });
  await check('an approximate method is called so', async () => {
    const {page, context} = await open(browser, join(out, 'approximate.html'));
    expect((await page.locator('header').textContent()).includes('APPROXIMATE'), 'not at the top');
    expect((await page.locator('#phase-space h2').textContent()).startsWith('APPROXIMATE: explicit'), 'not in its panel');
    await context.close();
  });
  await check('two runs are compared', async () => {
    const opened = await open(browser, reportOf('german', 'magnetic'));
    await checkDrawn(opened, dataOf('german', 'magnetic'));
    expect(/^The runs agree: no mean of 22 differs/.test(await opened.page.locator('#verdict h2').textContent()), 'verdict');
    same(await opened.page.locator('#cost thead th').allTextContents(), ['', 'german', 'magnetic'], 'runs');
    await opened.context.close();
  });
  await check('64 chains of 100 quantities: under 5 MB, and open within two seconds', async () => {
    const file = reportOf('wide');
    const opened = await open(browser, file);
    await checkDrawn(opened, dataOf('wide'));
    const {first, all} = await opened.page.evaluate(() => {
      const marks = performance.getEntriesByName('figure').map((mark) => mark.startTime);
      return {first: marks[0], all: marks.at(-1)};
    });
    const size = statSync(file).size;
    console.log(`${(size / 1e6).toFixed(2)} MB, first screen after ${first.toFixed(0)} ms, all figures after ${all.toFixed(0)} ms`);
    expect(size < 5e6, `${size} bytes`);
    expect(first < 2000, `the first screen takes ${first} ms`);
    await opened.context.close();
  });

  const reproductions = [reproduce(darboux, out, 'trajectories'), reproduce(darboux, out, 'binding', '--quick', '--runs', '2')];
  const [paths, binding] = reproductions;
  await check('reproductions: all figures are drawn, without errors or requests, and nothing is wider than a phone', async () => {
    for (const {file, report} of reproductions)
      for (const width of [1280, 360]) {
        const opened = await open(browser, file, {viewport: {width, height: 740}});
        await checkDrawn(opened, report);
        const found = await opened.page.evaluate(() => document.documentElement.scrollWidth);
        expect(found <= width, `${found} pixels wide on ${width}`);
        await opened.context.close();
      }
  });
  await check('every claim is there in full, with its verdict, on any screen', async () => {
    const {claims} = JSON.parse(readFileSync(join(binding.folder, 'binding.json'), 'utf8'));
    expect(claims.length > 0, 'no claims');
    for (const width of [1280, 360]) {
      const {page, context} = await open(browser, binding.file, {viewport: {width, height: 740}});
      const cells = page.locator('#claims-table tbody tr :is(th, td)');
      same(await cells.locator('bdi').allTextContents(), claims.flatMap((one) => [one.claim, one.verdict, one.evidence, one.where]), 'texts');
      const cut = await cells.evaluateAll((all) => all.filter((cell) => {
        const {width, right} = cell.getBoundingClientRect();
        return width === 0 || right > innerWidth || cell.firstChild.scrollHeight > cell.clientHeight + 1;
      }).length);
      same(cut, 0, 'cells that are not seen whole');
      same(await page.locator('#claims .scroll').evaluate((box) => box.scrollHeight - box.clientHeight), 0, 'hidden rows');
      await context.close();
    }
  });
  await check('words in tables are not broken, and the list of contents is short', async () => {
    for (const {file} of reproductions)
      for (const width of [1280, 360]) {
        const {page, context} = await open(browser, file, {viewport: {width, height: 740}});
        const broken = await page.locator('td.text, tbody th.text').evaluateAll((all) => all.filter((cell) => {
          const range = document.createRange();
          const words = [...cell.textContent.matchAll(/[\w]+/g)];
          return words.some((word) => {
            range.setStart(cell.firstChild.firstChild, word.index);
            range.setEnd(cell.firstChild.firstChild, word.index + word[0].length);
            return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
          });
        }).map((cell) => cell.textContent));
        same(broken, [], 'broken words');
        const {height} = await page.locator('nav').boundingBox();
        expect(height < 70, `contents take ${height} pixels`);
        await context.close();
      }
  });
  await check('a table shows the numbers of the CSV file', async () => {
    const [head, ...runs] = csv(readFileSync(join(binding.folder, 'binding-runs.csv'), 'utf8'));
    const rows = runs.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
    const distances = rows.filter((row) => row.variant === 'two-gradient-schur' && row.step_size === '0.01' && row.omega === '1')
      .map((row) => Number(row.mean_distance));
    same(distances.length, 2, 'runs');
    const {page, context} = await open(browser, binding.file);
    const {content} = await downloaded(page, page.locator('#binding > .table .actions button', {hasText: 'CSV'}));
    const median = (distances[0] + distances[1]) / 2;
    same(Number(csv(content.toString())[4][3]), median, 'distance');
    const shown = Number(await page.locator('#binding-table tbody tr:nth-child(4) td:nth-child(4)').textContent());
    expect(Math.abs(shown / median - 1) < 0.005, `${shown} for ${median}`);
    await context.close();
  });
  await check('what the paper states stands beside what was found, and above it on a phone', async () => {
    for (const {file, report} of reproductions)
      for (const width of [1280, 360]) {
        const {page, context} = await open(browser, file, {viewport: {width, height: 740}});
        const contrasts = report.sections.flatMap((section) => section.contrasts ?? []);
        expect(contrasts.length > 0, 'nothing of the paper');
        same(await page.locator('dd').allTextContents(), contrasts.flatMap(({paper, here}) => [paper, here]), 'texts');
        for (const pair of await page.locator('dl').all()) {
          const [paper, here] = await Promise.all([0, 1].map((i) => pair.locator('dd').nth(i).boundingBox()));
          expect(width > 1000 ? paper.x + paper.width < here.x : paper.y + paper.height < here.y, 'not in order');
        }
        await context.close();
      }
  });
  await check('trajectories have equal scales on both axes', async () => {
    for (const width of [1280, 360]) {
      const {page, context} = await open(browser, paths.file, {viewport: {width, height: 740}});
      const distance = (axis, side) => page.locator('figure').evaluateAll((figures, [axis, side]) => figures.map((figure) => {
        const labels = [...figure.querySelectorAll(`[aria-label^="${axis}-axis"] .role-axis-label text`)];
        const number = (label) => Number(label.textContent.replace('−', '-'));
        const at = (label) => label.getBoundingClientRect()[side] + label.getBoundingClientRect()[side === 'x' ? 'width' : 'height'] / 2;
        const [first, last] = [labels[1], labels.at(-2)]; // those at the ends are moved inside
        return Math.abs((at(last) - at(first)) / (number(last) - number(first)));
      }), [axis, side]);
      const [across, up] = [await distance('X', 'x'), await distance('Y', 'y')];
      same(across.length, 7, 'figures');
      across.forEach((x, i) => expect(x > 20 && Math.abs(x / up[i] - 1) < 0.05, `${x} and ${up[i]} pixels to a unit`));
      await context.close();
    }
  });
  await check('a wide figure takes the whole width, and scrolls on a phone', async () => {
    const report = structuredClone(binding.report);
    report.sections.find((section) => section.id === 'binding').figures[0].wide = true;
    const file = join(out, 'wide-figure.html');
    const page = readFileSync(binding.file, 'utf8');
    writeFileSync(file, page.replace(/id="data">.*?<\/script>/s, () => `id="data">${JSON.stringify(report).replaceAll('<', '\\u003c')}</script>`));
    for (const width of [1280, 360]) {
      const {page, problems, context} = await open(browser, file, {viewport: {width, height: 740}});
      const [section, figure, svg] = await Promise.all(
        ['#binding', '#binding-1', '#binding-1 svg'].map((one) => page.locator(one).first().boundingBox()));
      expect(figure.width > section.width - 60, `${figure.width} of ${section.width} pixels`);
      expect(svg.width > 780 && (width === 360) === (svg.width > figure.width + 100), `the picture is ${svg.width} pixels wide`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth) <= width, 'the page is too wide');
      same(problems, [], 'problems');
      await context.close();
    }
  });
} finally {
  await browser.close();
}
process.exit(failures ? 1 : 0);

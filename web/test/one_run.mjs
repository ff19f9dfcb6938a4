// The report of one run: its table, its keys and buttons, and what they save.
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {open} from './browser.mjs';
import {check, expect, same} from './checks.mjs';
import {csv, downloaded, figuresIn} from './reading.mjs';

async function checkTable(page, summary) {
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
}

async function checkSorting(page, summary) {
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
}

async function checkAccess(page) {
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
}

async function checkFirstScreen(page, summary) {
  await check('verdict, table and main figure are on the first screen', async () => {
    same(await page.locator('#verdict h2').textContent(), `All ${summary.rows.length} quantities converged: largest R̂ ` +
      Math.max(...summary.rows.map((row) => row.rhat)).toFixed(3), 'verdict');
    await page.evaluate(() => scrollTo({top: 0, behavior: 'instant'}));
    for (const id of ['verdict', 'summary', 'main']) {
      const box = await page.locator(`#${id}`).boundingBox();
      expect(box.y >= 0 && box.y < 500, `${id} begins at ${box.y}`);
    }
  });
}

async function checkAxes({dataOf}) {
  await check('all axes that carry numbers say their unit', async () => {
    const missing = [];
    const look = (spec, title) => {
      for (const layer of spec.layer ?? []) look(layer, title);
      for (const [channel, field] of Object.entries(spec.encoding ?? {}))
        if (['x', 'y'].includes(channel) && field.type === 'quantitative' && field.title !== undefined && !/\(.+\)/.test(field.title) &&
            !field.axis?.labelExpr) // which has names
          missing.push(`${title}: ${field.title}`);
    };
    for (const name of ['german', 'coupled', 'divergent', 'stray'])
      for (const figure of figuresIn(dataOf(name))) look(figure.spec, figure.title);
    same(missing, [], 'axes without a unit');
  });
}

async function checkSaving(page, {dataOf}) {
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
}

async function checkCommand(page, {darboux, out}) {
  await check('the command to run it again does so', async () => {
    const command = await page.locator('#configuration code').textContent();
    const again = command.replace(/--out \S+/, `--out '${join(out, 'again')}' --quiet`).replace(/^darboux/, `'${darboux}'`);
    execFileSync('sh', ['-c', `rm -rf '${join(out, 'again')}' && ${again}`]);
    const rows = (run) => readFileSync(join(out, run, 'chain_4.csv'), 'utf8').split('\n').filter((line) => !line.startsWith('#'));
    same(rows('again'), rows('german'), 'draws');
  });
}

export async function checkOneRun(session) {
  const german = await open(session.browser, session.reportOf('german'));
  const {page} = german;
  const summary = JSON.parse(session.call('summary', join(session.out, 'german'), '--json', '-'));
  await checkTable(page, summary);
  await checkSorting(page, summary);
  await checkAccess(page);
  await checkFirstScreen(page, summary);
  await checkAxes(session);
  await checkSaving(page, session);
  await checkCommand(page, session);
  await german.context.close();
}

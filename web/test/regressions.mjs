// Reports of logistic regressions: coefficients in both units, the prior behind each posterior, what was made of the table; and
// histograms that end where hardly anything is.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {open} from './browser.mjs';
import {check, expect, same} from './checks.mjs';
import {named, screens} from './looks.mjs';
import {contrast, csv, downloaded} from './reading.mjs';

const sectionOf = (report, id) => report.sections.find((one) => one.id === id);
const valuesOf = (figure, name) => figure.data.find((column) => column.name === name).values;
const nearly = (found, wanted, what) => expect(Math.abs(found - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), `${what}: ${found} instead of ${wanted}`);
const textsOf = (cells) => cells.map((cell) => (typeof cell === 'object' && cell ? cell.text : String(cell)));

/** By the draws themselves, and the means and scales of run.json. */
async function checkEffects({out, call, dataOf}) {
  await check('an effect is that of one sd, of the other value, or of a category; per unit is what was drawn', async () => {
    const {rows} = sectionOf(dataOf('categories'), 'coefficients').table;
    const drawn = JSON.parse(call('summary', join(out, 'categories'), '--json', '-')).rows;
    const {predictors} = JSON.parse(readFileSync(join(out, 'categories', 'run.json'), 'utf8')).data;
    same(rows.map((row) => row[0]), ['intercept', 'age', 'married', 'class[second]', 'class[third]'], 'predictors');
    same(rows.slice(2).map((row) => row[1]), ['1', 'second instead of first', 'third instead of first'], 'steps');
    const sd = predictors[0].sd;
    same(rows[1][1], `${Number(sd.toPrecision(4))}, one sd`, 'the step of a number');
    rows.slice(1).forEach((row, i) => {
      const summary = drawn.find((one) => one.name === row[0].replace('[', '_').replace(']', ''));
      const unit = i === 0 ? sd : 1;
      [2, 3, 4].forEach((column, k) => nearly(row[column].value, unit * summary[['q50', 'q5', 'q95'][k]], `${row[0]}, effect`));
      [5, 6, 7].forEach((column, k) => nearly(row[column].value, Math.exp(row[2 + k].value), `${row[0]}, odds ratio`));
      [9, 10, 11].forEach((column, k) => nearly(row[column].value, summary[['q50', 'q5', 'q95'][k]], `${row[0]}, per unit`));
    });
    same([5, 6, 7].map((column) => rows[0][column].value), [null, null, null], 'odds ratio of the intercept');
  });
}

async function checkCoefficients({browser, out, dataOf}) {
  const {table} = sectionOf(dataOf('categories'), 'coefficients');
  for (const screen of screens)
    await check(`coefficients are in sight, those of one unit after a click where there is little room: ${named(screen)}`, async () => {
      const {page, problems, context} = await open(browser, join(out, 'categories.html'), screen);
      const titles = table.columns.map((column) => column.title);
      const region = page.locator('#coefficients .scroll').first();
      const {x, width} = await region.boundingBox();
      const head = (title) => page.locator('#coefficients-table thead th').nth(titles.indexOf(title));
      for (const title of ['effect', '5\u00a0%', '95\u00a0%']) {
        expect(titles.includes(title), `${title} is missing`);
        const box = await head(title).boundingBox();
        expect(box && box.x + box.width <= x + width + 1, `${title} is out of sight`);
      }
      if (!(await head('per unit').isVisible())) await page.locator('#coefficients .actions button', {hasText: 'All columns'}).click();
      const shown = await page.locator('#coefficients-table tbody tr').evaluateAll((rows) =>
        rows.map((row) => [...row.cells].filter((cell) => cell.checkVisibility()).map((cell) => cell.textContent)));
      same(shown, table.rows.map(textsOf), 'cells');
      same(await page.evaluate(() => document.documentElement.scrollWidth), screen.viewport.width, 'width of the page');
      same(problems, [], 'problems');
      await context.close();
    });
}

/** The clearest of them, each with a name that can be read. */
async function checkManyPredictors({browser, out, dataOf}) {
  const {rows} = sectionOf(dataOf('predictors'), 'coefficients').table;
  const clearest = rows.slice(1).map((row) => ({name: row[0], clarity: Math.abs(row[2].value) / (row[4].value - row[3].value)}))
    .sort((a, b) => b.clarity - a.clarity).slice(0, 40).map(({name}) => name);
  for (const screen of screens)
    await check(`of 50 effects the first figure has the 40 that are the clearest: ${named(screen)}`, async () => {
      const {page, problems, context} = await open(browser, join(out, 'predictors.html'), screen);
      expect(/^\d+ of 50 effects \(90\u00a0% intervals\) lie away from zero$/.test(await page.locator('#main h2').textContent()), 'title');
      const labels = await page.locator('#main [aria-label^="Y-axis"] .role-axis-label text').evaluateAll((all) =>
        all.filter((one) => getComputedStyle(one).opacity !== '0').map((one) => ({name: one.textContent, box: one.getBoundingClientRect()})));
      same(labels.map(({name}) => name).sort(), [...clearest].sort(), 'names');
      const tops = labels.map(({box}) => box.top).sort((a, b) => a - b);
      tops.forEach((top, i) => expect(i === 0 || top - tops[i - 1] > 8, `names ${tops[i - 1]} and ${top} stand on each other`));
      same(await page.locator('#coefficients-table tbody tr').count(), 51, 'rows of the table');
      same(problems, [], 'problems');
      await context.close();
    });
}

async function checkPriors({browser, out, dataOf}) {
  const section = sectionOf(dataOf('categories'), 'coefficients');
  const names = section.table.rows.map((row) => row[0]);
  for (const screen of screens)
    await check(`each posterior stands before its prior, in another colour: ${named(screen)}`, async () => {
      const {page, context} = await open(browser, join(out, 'categories.html'), screen);
      const figure = page.locator('#coefficients-1');
      same(await figure.locator('.mark-area.role-mark path').count(), 2 * names.length, 'areas');
      const strokes = await figure.locator('.mark-line.role-mark path').evaluateAll((lines) => lines.map((line) => getComputedStyle(line).stroke));
      same(strokes.length, 2 * names.length, 'lines');
      const colours = [...new Set(strokes)];
      same(colours.length, 2, 'colours');
      const paper = await figure.evaluate((one) => {
        for (let at = one; at; at = at.parentElement) {
          const colour = getComputedStyle(at).backgroundColor;
          if (!/, 0\)$|transparent/.test(colour)) return colour;
        }
      });
      for (const colour of colours) expect(contrast(colour, paper) >= 3, `${colour} on ${paper}`);
      same((await figure.locator('.role-legend-label text').allTextContents()).sort(), ['posterior', 'prior'], 'legend');
      const labels = await figure.locator('[aria-label^="Y-axis"] .role-axis-label text').evaluateAll((all) =>
        all.filter((one) => one.textContent).map((one) => [one.textContent, one.getBoundingClientRect().left - one.closest('svg').getBoundingClientRect().left]));
      same(labels.map(([text]) => text).sort(), [...names].sort(), 'rows');
      for (const [text, left] of labels) expect(left >= -1, `${text} is cut off`);
      await context.close();
    });
  await check('both densities of a row enclose the same area, as far as the axis goes', async () => {
    const [figure] = section.figures;
    const columns = Object.fromEntries(figure.data.map((column) => [column.name, column.values]));
    const area = (name, of) => columns.value.reduce((sum, x, i) => {
      const next = columns.of[i + 1] === of && columns.coefficient[i + 1] === name && columns.of[i] === of && columns.coefficient[i] === name;
      return next ? sum + (columns.value[i + 1] - x) * 0.5 * (columns.top[i] - columns.base[i] + columns.top[i + 1] - columns.base[i + 1]) : sum;
    }, 0);
    for (const name of ['class[second]', 'class[third]']) {
      const ratio = area(name, 'prior') / area(name, 'posterior');
      expect(ratio > 0.7 && ratio < 1.05, `${name}: ${ratio}`);
    }
  });
}

async function checkData({browser, out, dataOf}) {
  const report = dataOf('categories');
  const {inputs, data} = JSON.parse(readFileSync(join(out, 'categories', 'run.json'), 'utf8'));
  for (const screen of screens)
    await check(`the data section has outcome, file, baselines and scales: ${named(screen)}`, async () => {
      const {page, context} = await open(browser, join(out, 'categories.html'), screen);
      const {positives} = data.outcome;
      expect((await page.locator('#data h2').textContent()).startsWith(`died is yes in ${positives} of 300 rows`), 'title');
      const text = (await page.locator('#data p').allTextContents()).join('\n');
      expect(text.includes(`File: ${data.file}, ${inputs.data}.`), `no checksum in ${text}`);
      expect(text.includes('Columns not used: id.'), 'columns');
      const tables = page.locator('#data .numbers table');
      same(await tables.count(), 2, 'small tables');
      const read = (i) => tables.nth(i).locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
      const [category] = data.categories;
      same(await read(0), category.levels.map((level, i) => ['class', level + (level === 'first' ? ' (baseline)' : ''), String(category.rows[i])]), 'levels');
      same(await read(1), sectionOf(report, 'data').numbers[1].rows.map(textsOf), 'predictors');
      const outside = await tables.evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth + 1).length);
      same(outside, 0, 'tables that leave the screen');
      await context.close();
    });
}

/** A few errors that are a hundred times the others do not hold all these in one bar. */
async function checkClipped({browser, out, dataOf}) {
  const place = sectionOf(dataOf('approximate'), 'phase-space').figures.findIndex((one) => one.title.startsWith('Energy errors'));
  const figure = sectionOf(dataOf('approximate'), 'phase-space').figures[place];
  await check('a clipped histogram says how many values lie beyond, and how far', async () => {
    const [, outside, all] = figure.caption.match(/ ([\d,]+) of ([\d,]+) lie beyond what is shown: /).map((text) => Number(text.replaceAll(',', '')));
    const share = valuesOf(figure, 'share').reduce((sum, x) => sum + x, 0);
    expect(Math.abs(share - 100 * (1 - outside / all)) < 1e-6, `${share} % for ${outside} of ${all}`);
    const largest = Number(figure.caption.match(/the largest (?:is )?([\d.e+]+)/)[1]);
    expect(largest > 5 * Math.max(...valuesOf(figure, 'to')), `${largest} need not have been left out`);
  });
  for (const screen of screens)
    await check(`the bars of a clipped histogram fill its width: ${named(screen)}`, async () => {
      const {page, context} = await open(browser, join(out, 'approximate.html'), screen);
      const shown = page.locator(`#phase-space-${place + 1}`);
      expect((await shown.locator('figcaption p').textContent()).includes('lie beyond what is shown'), 'caption');
      const {bars, plot} = await shown.evaluate((one) => ({
        bars: [...one.querySelectorAll('.mark-rect.role-mark path')].map((bar) => bar.getBoundingClientRect()).filter((box) => box.height > 1).map(({left, right}) => [left, right]),
        plot: one.querySelector('svg').getBoundingClientRect().width,
      }));
      const reach = Math.max(...bars.map(([, right]) => right)) - Math.min(...bars.map(([left]) => left));
      expect(bars.length > 10, `${bars.length} bars`);
      expect(reach > 0.5 * plot, `bars over ${reach} of ${plot} pixels`);
      await context.close();
    });
}

/** Of the two histograms of the figure, from their bins. */
function ratioOfWidths(figure) {
  const [kind, from, to, share] = ['kind', 'from', 'to', 'share'].map((name) => valuesOf(figure, name));
  const deviation = (wanted) => {
    let [n, sum, square] = [0, 0, 0];
    kind.forEach((one, i) => {
      if (one !== wanted) return;
      const middle = 0.5 * (from[i] + to[i]);
      [n, sum, square] = [n + share[i], sum + share[i] * middle, square + share[i] * middle * middle];
    });
    return Math.sqrt(square / n - (sum / n) ** 2);
  };
  return deviation('change from draw to draw') / deviation('energy');
}

async function checkWidths({browser, out, dataOf}) {
  for (const name of ['german', 'categories', 'coupled'])
    await check(`how wide changes of energy are is what the figure shows, and never "1 times": ${name}`, async () => {
      const figure = sectionOf(dataOf(name), 'energy').figures.find((one) => one.title.startsWith('Energy changes'));
      const [, times] = figure.title.match(/^Energy changes from draw to draw are (?:([\d.]+) times )?as wide as energies$/);
      expect(times !== '1', figure.title);
      const ratio = ratioOfWidths(figure);
      expect(Math.abs(Number(times ?? 1) / ratio - 1) < 0.1, `${times ?? 1} for ${ratio}`);
      for (const screen of screens) {
        const {page, context} = await open(browser, join(out, `${name}.html`), screen);
        const title = page.locator('#energy').getByText(figure.title, {exact: true}).first();
        expect(await title.isVisible(), `it is not on the page: ${named(screen)}`);
        const {x, width} = await title.boundingBox();
        expect(x >= 0 && x + width <= screen.viewport.width, `it leaves the screen: ${named(screen)}`);
        await context.close();
      }
    });
}

/** What somebody gave is told from defaults. */
async function checkConfiguration({browser, out}) {
  for (const screen of screens)
    await check(`the configuration says where settings are from: ${named(screen)}`, async () => {
      const {page, context} = await open(browser, join(out, 'categories.html'), screen);
      const rows = csv((await downloaded(page, page.locator('#configuration .table .actions button', {hasText: 'CSV'}))).content.toString());
      const from = (setting) => rows.find((row) => row[0] === setting)[2];
      same(['model', 'seed', 'chains', 'standardise', 'metric-draws'].map(from), ['given', 'given', 'default', 'decided', 'tuned'], 'sources');
      const row = page.locator('#configuration-table tbody tr', {hasText: 'chains'}).first();
      same(await row.locator('td').allTextContents(), ['4', 'default'], 'cells');
      await context.close();
    });
}

export async function checkRegressions(session) {
  session.reportOf('categories');
  session.reportOf('predictors');
  await checkEffects(session);
  await checkCoefficients(session);
  await checkManyPredictors(session);
  await checkPriors(session);
  await checkData(session);
  await checkClipped(session);
  await checkWidths(session);
  await checkConfiguration(session);
}

// Pages of `darboux reproduce`: claims, tables of words, and figures of their own kinds.
import {execFileSync} from 'node:child_process';
import {copyFileSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {open} from './browser.mjs';
import {check, expect, same} from './checks.mjs';
import {named, screens} from './looks.mjs';
import {checkDrawn, csv, downloaded} from './reading.mjs';
import {reproduce} from './runs.mjs';

async function checkPages(browser, reproductions) {
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
}

async function checkClaims(browser, binding) {
  const {claims} = JSON.parse(readFileSync(join(binding.folder, 'binding.json'), 'utf8'));
  for (const screen of [...screens, {viewport: {width: 360, height: 740}, colorScheme: 'light'}])
    await check(`every claim of a quick run is there in full, and none has a verdict: ${named(screen)}`, async () => {
      expect(claims.length > 0, 'no claims');
      const {page, context} = await open(browser, binding.file, screen);
      const cells = page.locator('#claims-table tbody tr :is(th, td)');
      same(await cells.locator('bdi').allTextContents(), claims.flatMap((one) => [one.claim, one.evidence, one.where]), 'texts');
      same(await page.locator('.badge').count(), 0, 'verdicts');
      for (const more of await page.locator('#claims-table .unfold:visible').all()) await more.click();
      const cut = await cells.evaluateAll((all) => all.filter((cell) => {
        const {width, right} = cell.getBoundingClientRect();
        return width === 0 || right > innerWidth || cell.firstChild.scrollHeight > cell.clientHeight + 1;
      }).length);
      same(cut, 0, 'cells that are not seen whole');
      same(await page.locator('#claims .scroll').evaluate((box) => box.scrollHeight - box.clientHeight), 0, 'hidden rows');
      await context.close();
    });
}

async function checkWords(browser, reproductions) {
  await check('words in tables are not broken, and the list of contents is short', async () => {
    for (const {file} of reproductions)
      for (const width of [1280, 360]) {
        const {page, context} = await open(browser, file, {viewport: {width, height: 740}});
        const broken = await page.locator('td.text, tbody th.text').evaluateAll((all) => all.filter((cell) => {
          const range = document.createRange();
          const words = [...cell.firstChild.textContent.matchAll(/[\w]+/g)];
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
}

async function checkNumbers(browser, binding) {
  await check('a table shows the numbers of the CSV file', async () => {
    const [head, ...runs] = csv(readFileSync(join(binding.folder, 'binding-runs.csv'), 'utf8'));
    const rows = runs.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
    const distances = rows.filter((row) => row.variant === 'two-gradient-schur' && row.step_size === '0.01' && row.omega === '1')
      .map((row) => Number(row.mean_distance));
    same(distances.length, 2, 'runs');
    const {page, context} = await open(browser, binding.file);
    const {content} = await downloaded(page, page.locator('#binding > details > .table .actions button', {hasText: 'CSV'}));
    const median = (distances[0] + distances[1]) / 2;
    same(Number(csv(content.toString())[4][3]), median, 'distance');
    const shown = Number(await page.locator('#binding-table tbody tr:nth-child(4) td:nth-child(4)').textContent());
    expect(Math.abs(shown / median - 1) < 0.005, `${shown} for ${median}`);
    await context.close();
  });
}

async function checkContrasts(browser, reproductions) {
  await check('what the paper states stands beside what was found, and above it on a phone', async () => {
    for (const {file, report} of reproductions)
      for (const width of [1280, 360]) {
        const {page, context} = await open(browser, file, {viewport: {width, height: 740}});
        const contrasts = report.sections.flatMap((section) => section.contrasts ?? []);
        expect(contrasts.length > 0, 'nothing of the paper');
        const here = await page.locator('dd .here').allTextContents();
        same(here, contrasts.map((one) => one.here), 'texts');
        same(await page.locator('dl > div:first-child dd').allTextContents(), contrasts.map((one) => one.paper), 'what the paper states');
        for (const pair of await page.locator('dl').all()) {
          const [paper, here] = await Promise.all([0, 1].map((i) => pair.locator('dd').nth(i).boundingBox()));
          expect(width > 1000 ? paper.x + paper.width < here.x : paper.y + paper.height < here.y, 'not in order');
        }
        await context.close();
      }
  });
}

async function checkScales(browser, paths) {
  await check('trajectories have equal scales on both axes', async () => {
    for (const width of [1280, 360]) {
      const {page, context} = await open(browser, paths.file, {viewport: {width, height: 740}});
      const distance = (axis, side) => page.locator('figure').evaluateAll((figures, [axis, side]) => figures.map((figure) => {
        const labels = [...figure.querySelectorAll(`[aria-label^="${axis}-axis"] .role-axis-label text`)];
        const number = (label) => Number(label.textContent.replace('−', '-'));
        const at = (label) => label.getBoundingClientRect()[side] + label.getBoundingClientRect()[side === 'x' ? 'width' : 'height'] / 2;
        const [first, last] = [labels[0], labels.at(-1)];
        return Math.abs((at(last) - at(first)) / (number(last) - number(first)));
      }), [axis, side]);
      const [across, up] = [await distance('X', 'x'), await distance('Y', 'y')];
      same(across.length, 7, 'figures');
      across.forEach((x, i) => expect(x > 20 && Math.abs(x / up[i] - 1) < 0.05, `${x} and ${up[i]} pixels to a unit`));
      await context.close();
    }
  });
}

async function checkWideFigure(browser, binding, out) {
  await check('a wide figure takes the whole width, and scrolls on a phone', async () => {
    const report = structuredClone(binding.report);
    report.sections.find((section) => section.id === 'binding').figures[0].wide = true;
    const file = join(out, 'wide-figure.html');
    const page = readFileSync(binding.file, 'utf8');
    writeFileSync(file, page.replace(/id="report_data">.*?<\/script>/s, () => `id="report_data">${JSON.stringify(report).replaceAll('<', '\\u003c')}</script>`));
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
}

/** All experiments, as they are kept in docs/. */
async function checkKept(browser, darboux, out) {
  const folder = join(out, 'reproduce-trajectories');
  const kept = new URL('../../docs/results/', import.meta.url);
  for (const name of ['logistic', 'fitzhugh-nagumo', 'binding', 'beyond'])
    copyFileSync(new URL(`${name}.json`, kept), join(folder, `${name}.json`));
  execFileSync(darboux, ['reproduce', 'trajectories', '--out', folder]);
  const file = join(folder, 'report.html');
  const report = JSON.parse(readFileSync(file, 'utf8').match(/id="report_data">(.*?)<\/script>/s)[1]);
  for (const colorScheme of ['light', 'dark']) {
    await check(`the whole reproduction is a few screens of a phone, each claim with its verdict: ${colorScheme}`, async () => {
      const {page, problems, context} = await open(browser, file, {viewport: {width: 390, height: 800}, colorScheme, folded: true});
      const {width, height} = await page.evaluate(() => ({width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight}));
      expect(width <= 390, `${width} pixels wide`);
      expect(height < 7500, `${height} pixels high`);
      const claims = report.sections.find((one) => one.id === 'claims').table.rows;
      same(await page.locator('#claims-table tbody tr').count(), claims.length, 'claims');
      same(await page.locator('#claims-table tbody td:visible').count(), claims.length, 'verdicts in sight, and nothing else');
      const row = page.locator('#claims-table tbody tr').first();
      await row.locator('.unfold').click();
      same(await row.locator('td:visible').count(), 3, 'cells of a row that is open');
      same(problems, [], 'problems');
      await context.close();
    });
    await check(`paragraphs of the reproduction are no lists of numbers, tables have them: ${colorScheme}`, async () => {
      for (const width of [1280, 390]) {
        const {page, context} = await open(browser, file, {viewport: {width, height: 800}, colorScheme});
        const crowded = await page.locator('section p, dd .here').evaluateAll((all) =>
          all.map((one) => one.textContent).filter((text) => (text.match(/better on/g) ?? []).length > 1));
        same(crowded, [], 'paragraphs');
        const numbers = report.sections.flatMap((one) => [...(one.contrasts ?? []).flatMap((c) => c.numbers ?? []), ...(one.numbers ?? [])]);
        expect(numbers.length > 10, `${numbers.length} small tables`);
        same(await page.locator('.numbers table').count(), numbers.length, 'small tables');
        same(await page.locator('.numbers tbody td:first-of-type').first().textContent(), numbers[0].rows[0][1].text, 'a ratio');
        const out = await page.locator('.numbers table').evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth).length);
        same(out, 0, 'small tables that leave the screen');
        await context.close();
      }
    });
  }
}

export async function checkReproductions({browser, darboux, out}) {
  const reproductions = [reproduce(darboux, out, 'trajectories'), reproduce(darboux, out, 'binding', '--quick', '--runs', '2')];
  const [paths, binding] = reproductions;
  await checkPages(browser, reproductions);
  await checkClaims(browser, binding);
  await checkWords(browser, reproductions);
  await checkNumbers(browser, binding);
  await checkContrasts(browser, reproductions);
  await checkScales(browser, paths);
  await checkWideFigure(browser, binding, out);
  await checkKept(browser, darboux, out);
}

// What reports say of runs with something to say: hostile names, trouble, other methods, another run beside, much of everything.
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {open} from './browser.mjs';
import {check, expect, same} from './checks.mjs';
import {named, screens} from './looks.mjs';
import {checkDrawn} from './reading.mjs';
import {hostileNames, longNames} from './runs.mjs';

async function checkNames({browser, out, call}) {
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
}

async function checkTrouble({browser, out}) {
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
}

async function checkMethods({browser, out, call, dataOf}) {
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
}

async function checkTwoRuns({browser, reportOf, dataOf}) {
  await check('two runs are compared', async () => {
    const opened = await open(browser, reportOf('german', 'magnetic'));
    await checkDrawn(opened, dataOf('german', 'magnetic'));
    expect(/^The runs agree: no mean of 22 differs/.test(await opened.page.locator('#verdict h2').textContent()), 'verdict');
    same(await opened.page.locator('#cost thead th').allTextContents(), ['', 'german', 'magnetic'], 'runs');
    await opened.context.close();
  });
  const [long, longer] = longNames;
  for (const screen of screens) {
    await check(`pages of two runs with long names: ${named(screen)}`, async () => {
      const file = reportOf(long, longer);
      const {page, problems, context} = await open(browser, file, screen);
      const {height} = await page.locator('nav').boundingBox();
      expect(height < 110, `the list of contents takes ${height} of 800 pixels`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth) <= screen.viewport.width, 'the page is too wide');
      same(await page.locator('section').nth(1).getAttribute('id'), 'settings', 'the section after the verdict');
      same(await page.locator('#settings tbody th').allTextContents(),
        ['prior-scale', 'motion', 'stages', 'momentum-kept', 'steps', 'trajectory-time', 'seed'], 'what differs');
      expect(/^With the other prior no mean moves by more than /.test(await page.locator('#verdict h2').textContent()), 'verdict');
      same(problems, [], 'problems');
      await context.close();
    });
    await check(`runs of different data are not compared by their parameters: ${named(screen)}`, async () => {
      const {page, problems, context} = await open(browser, reportOf('german', 'other-data'), screen);
      const verdict = page.locator('#verdict h2');
      same(await verdict.textContent(), 'The runs are of different data: their estimates are not compared', 'verdict');
      expect(await verdict.isVisible(), 'it is not in sight');
      same(await page.locator('#means, #differences').count(), 0, 'sections that compare');
      same(await page.locator('#settings tbody tr').first().locator('th').textContent(), 'data', 'what differs first');
      expect(await page.evaluate(() => document.documentElement.scrollWidth) <= screen.viewport.width, 'the page is too wide');
      same(problems, [], 'problems');
      await context.close();
    });
  }
}

async function checkManyChains({browser, reportOf, dataOf}) {
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
}

export async function checkFindings(session) {
  await checkNames(session);
  await checkTrouble(session);
  await checkMethods(session);
  await checkTwoRuns(session);
  await checkManyChains(session);
}

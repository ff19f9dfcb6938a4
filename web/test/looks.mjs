// Whether pages can be read: in both colours, on a phone, on paper.
import {join} from 'node:path';
import {open} from './browser.mjs';
import {check, expect, same} from './checks.mjs';
import {contrast, downloaded} from './reading.mjs';

async function checkColours({browser, out}) {
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
}

async function checkPhone({browser, out}) {
  await check('nothing is wider than a phone', async () => {
    for (const name of ['german', 'hostile', 'coupled']) {
      const {page, context} = await open(browser, join(out, `${name}.html`), {viewport: {width: 360, height: 740}});
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width <= 360, `${name} is ${width} pixels wide`);
      for (const title of ['mean', '5\u00a0%', '95\u00a0%', 'R̂']) {
        const box = await page.locator('#summary-table thead th', {hasText: new RegExp(`^${title}$`)}).boundingBox();
        expect(name === 'hostile' || (box && box.x + box.width <= 360), `${name}: ${title} is out of sight`);
      }
      await context.close();
    }
  });
}

export const screens = [1280, 390].flatMap((width) => ['light', 'dark'].map((colorScheme) => ({viewport: {width, height: 800}, colorScheme})));
export const named = ({viewport, colorScheme}) => `${viewport.width} pixels, ${colorScheme}`;

async function checkFolds({browser, out}) {
  for (const screen of screens)
    await check(`sections fold on a phone, and open with all that is in them: ${named(screen)}`, async () => {
      const {page, problems, context} = await open(browser, join(out, 'german.html'), {...screen, folded: true});
      const phone = screen.viewport.width < 700;
      const folds = page.locator('section > details');
      same(await folds.count(), await page.locator('section:not(.lead)').count(), 'sections that fold');
      same(await page.locator('section > details:not([open])').count(), phone ? await folds.count() : 0, 'folded at first');
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      if (phone) expect(height < 4000, `${height} pixels high`);
      const energy = page.locator('#energy > details');
      if (!phone) await energy.locator('summary').click();
      same(await energy.evaluate((one) => one.open), false, 'open');
      await page.locator('nav a', {hasText: 'Energy'}).click();
      same(await energy.evaluate((one) => one.open), true, 'open by its link');
      await page.waitForFunction(() => [...document.querySelectorAll('#energy .plot')].every((plot) => plot.matches('.drawn')));
      const svg = await page.locator('#energy svg').first().boundingBox();
      expect(svg.width > 250, `a picture of ${svg.width} pixels`);
      const chains = page.locator('#chains summary');
      await chains.focus();
      const before = await page.locator('#chains > details').evaluate((one) => one.open);
      await page.keyboard.press('Enter');
      same(await page.locator('#chains > details').evaluate((one) => one.open), !before, 'open by a key');
      same(problems, [], 'problems');
      await context.close();
    });
}

/** Numbers stand below their ticks, and whole. */
async function checkTicks({browser, out}) {
  for (const screen of screens)
    await check(`numbers of axes stand at their ticks, and none is cut off: ${named(screen)}`, async () => {
      for (const name of ['german', 'divergent']) {
        const {page, context} = await open(browser, join(out, `${name}.html`), screen);
        const wrong = await page.locator('figure').evaluateAll((figures) => figures.flatMap((figure) => {
          const box = figure.querySelector('svg').getBoundingClientRect();
          return [...figure.querySelectorAll('[aria-label^="X-axis"]')].flatMap((axis) => {
            const middle = (one) => { const {left, right} = one.getBoundingClientRect(); return (left + right) / 2; };
            const ticks = [...axis.querySelectorAll('.role-axis-tick line')].map(middle);
            const labels = [...axis.querySelectorAll('.role-axis-label text')].filter((one) => one.textContent && getComputedStyle(one).opacity !== '0');
            return labels.filter((label) => {
              const {left, right} = label.getBoundingClientRect();
              const away = Math.min(...ticks.map((tick) => Math.abs(tick - middle(label))));
              return away > 1.5 || left < box.left - 1 || right > box.right + 1;
            }).map((label) => `${figure.id}: ${label.textContent}`);
          });
        }));
        same(wrong, [], `labels of ${name}`);
        await context.close();
      }
    });
}

async function checkIntervals({browser, out, dataOf}) {
  for (const screen of screens)
    await check(`intervals are in sight, in the table and as they are in the figure: ${named(screen)}`, async () => {
      const {page, context} = await open(browser, join(out, 'german.html'), screen);
      const region = await page.locator('#summary .scroll').boundingBox();
      for (const title of ['5\u00a0%', '95\u00a0%']) {
        const box = await page.locator('#summary-table thead th', {hasText: new RegExp(`^${title}$`)}).boundingBox();
        expect(box && box.x + box.width <= region.x + region.width + 1, `${title} is out of sight`);
      }
      const {data} = dataOf('german').sections.find((section) => section.id === 'main').figures[0];
      const column = (name) => data.find((one) => one.name === name).values;
      const lengths = column('q95').map((high, i) => high - column('q5')[i]);
      const drawn = await page.locator('#main-1 .mark-rule.role-mark line').evaluateAll((lines) =>
        lines.map((line) => line.getBoundingClientRect().width).filter((width) => width > 1));
      const first = drawn.slice(0, lengths.length);
      expect(Math.max(...first) / Math.min(...first) > 1.5, 'every bar is as long as the next');
      const scale = first[0] / lengths[0];
      first.forEach((width, i) => expect(Math.abs(width / scale / lengths[i] - 1) < 0.1, `bar ${i} has another scale`));
      await context.close();
    });
}

async function checkLegend({browser, out}) {
  for (const screen of screens)
    await check(`one legend is for all traces, and goes with a picture that is saved: ${named(screen)}`, async () => {
      const {page, context} = await open(browser, join(out, 'german.html'), screen);
      same(await page.locator('#mixing .legend li').allTextContents(), [1, 2, 3, 4].map((i) => `chain ${i}`), 'legend');
      same(await page.locator('#mixing svg .role-legend').count(), 0, 'legends in pictures');
      const colours = await page.locator('#mixing .sample').evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
      same(new Set(colours).size, 4, 'colours');
      const {content} = await downloaded(page, page.locator('#mixing-1 .actions button', {hasText: 'SVG'}));
      for (const i of [1, 2, 3, 4]) expect(content.toString().includes(`>chain ${i}<`), `chain ${i} is not in the saved picture`);
      await context.close();
    });
}

async function checkPaper({browser, out}) {
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
}

export async function checkLooks(session) {
  await checkColours(session);
  await checkPhone(session);
  await checkPaper(session);
  await checkFolds(session);
  await checkTicks(session);
  await checkIntervals(session);
  await checkLegend(session);
}

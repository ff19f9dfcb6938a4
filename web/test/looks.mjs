// Whether pages can be read: in both colours, on a phone, on paper.
import {join} from 'node:path';
import {open} from './browser.mjs';
import {check, expect, same} from './checks.mjs';
import {contrast} from './reading.mjs';

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
      for (const title of ['mean', 'ESS bulk', 'R̂']) {
        const box = await page.locator('#summary-table thead th', {hasText: title}).boundingBox();
        expect(name === 'hostile' || (box && box.x + box.width <= 360), `${name}: ${title} is out of sight`);
      }
      await context.close();
    }
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
}

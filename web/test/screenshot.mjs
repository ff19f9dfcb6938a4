// node screenshot.mjs REPORT OUT [desktop|phone|print|WIDTHxHEIGHT] [light|dark] [ID]: a picture of a report, for the README and
// for eyes; from the section or figure with that id on, if one is given.
import {launch, open} from './browser.mjs';

const [report, out, kind = 'desktop', colours = 'light', id = ''] = process.argv.slice(2);
if (!report || !out) throw new Error('usage: node screenshot.mjs REPORT OUT [KIND] [light|dark] [ID]');
const viewport = {desktop: {width: 1280, height: 800}, phone: {width: 390, height: 844}, print: {width: 794, height: 1123}}[kind] ??
  (([width, height]) => ({width, height}))(kind.split('x').map(Number));
const browser = await launch();
try {
  const {page, problems} = await open(browser, report, {viewport, colorScheme: colours, deviceScaleFactor: kind === 'phone' ? 2 : 1});
  if (kind === 'print') await page.emulateMedia({media: 'print'});
  if (id) await page.locator(`#${id}`).evaluate((found) => found.scrollIntoView({behavior: 'instant'}));
  await page.screenshot({path: out});
  for (const problem of problems) console.error(problem);
  if (problems.length) process.exitCode = 1;
} finally {
  await browser.close();
}

// node screenshot.mjs REPORT OUT [desktop|phone|print] [light|dark] [full]: a picture of a report, for the README and for eyes.
import {launch, open} from './browser.mjs';

const [report, out, kind = 'desktop', colours = 'light', full = ''] = process.argv.slice(2);
if (!report || !out) throw new Error('usage: node screenshot.mjs REPORT OUT [desktop|phone|print] [light|dark] [full]');
const viewport = {desktop: {width: 1280, height: 800}, phone: {width: 390, height: 844}, print: {width: 794, height: 1123}}[kind];
const browser = await launch();
try {
  const {page, problems} = await open(browser, report, {viewport, colorScheme: colours, deviceScaleFactor: kind === 'phone' ? 2 : 1});
  if (kind === 'print') await page.emulateMedia({media: 'print'});
  await page.screenshot({path: out, fullPage: full === 'full'});
  for (const problem of problems) console.error(problem);
  if (problems.length) process.exitCode = 1;
} finally {
  await browser.close();
}

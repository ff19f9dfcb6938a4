// node report.mjs PROGRAM DATA OUT: reports in Chromium show what the program found, whoever looks at them and how.
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {launch, open} from './browser.mjs';
import {allPassed, check} from './checks.mjs';
import {checkFindings} from './findings.mjs';
import {checkHostile} from './hostile.mjs';
import {checkLooks} from './looks.mjs';
import {checkOneRun} from './one_run.mjs';
import {checkDrawn} from './reading.mjs';
import {checkRegressions} from './regressions.mjs';
import {checkReproductions} from './reproductions.mjs';
import {makeRuns} from './runs.mjs';

const [darboux, data, out] = process.argv.slice(2);
const call = (...settings) => execFileSync(darboux, settings, {encoding: 'utf8', maxBuffer: 1 << 28});
const reportOf = (...names) => {
  const file = join(out, `${names.join('-')}.html`);
  call('report', ...names.map((name) => join(out, name)), '--out', file);
  return file;
};
const dataOf = (...names) => JSON.parse(call('report', ...names.map((name) => join(out, name)), '--json', '-'));

makeRuns(darboux, data, out);
const browser = await launch();
const session = {browser, darboux, out, call, reportOf, dataOf};
try {
  for (const name of ['german', 'coupled', 'approximate', 'stray', 'divergent', 'hostile'])
    await check(`all figures of ${name} are drawn, without errors or requests`, async () => {
      const opened = await open(browser, reportOf(name));
      await checkDrawn(opened, dataOf(name));
      await opened.context.close();
    });
  await checkOneRun(session);
  await checkLooks(session); // at files that are there by now
  await checkFindings(session);
  await checkRegressions(session);
  await checkHostile(session);
  await checkReproductions(session);
} finally {
  await browser.close();
}
process.exit(allPassed() ? 0 : 1);

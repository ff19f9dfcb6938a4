// Headless Chromium of the system, and pages opened in it that note whatever goes wrong.
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export async function launch() {
  if (!executablePath) throw new Error('there is no Chromium here; apt-get install chromium');
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  // Chromium has no sandbox for root. Pages here are our own, opened from files.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({executablePath, args: ['--disable-gpu', '--disable-quic', ...quiet, ...sandbox]});
}

/** Opens every section that is folded, and waits until what is in it is drawn. */
export async function unfold(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
  await page.waitForFunction(() => [...document.querySelectorAll('.plot')].every((plot) => plot.matches('.drawn')));
}

/**
 * Opens a file and waits until all figures are drawn, those of sections that a phone folds too, unless `folded`. `problems` collects
 * errors of the page, and requests to elsewhere.
 */
export async function open(browser, file, {folded = false, ...options} = {}) {
  const context = await browser.newContext({viewport: {width: 1280, height: 800}, acceptDownloads: true, ...options});
  const page = await context.newPage();
  const problems = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const address = pathToFileURL(resolve(file)).href;
  page.on('request', (request) => {
    if (request.url() !== address && !/^(data|blob):/.test(request.url())) problems.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForSelector('html[data-state=drawn]', {timeout: 60_000});
  if (!folded) await unfold(page);
  return {page, context, problems};
}

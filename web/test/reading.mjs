// What is read off a page and out of the files that it saves.
import {readFileSync} from 'node:fs';
import {expect, same} from './checks.mjs';

export async function downloaded(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return {name: download.suggestedFilename(), content: readFileSync(await download.path())};
}

/** The cells of a CSV text. */
export function csv(text) {
  const cell = /("((?:[^"]|"")*)"|[^,\n]*)(,|\n)/gy;
  const rows = [[]];
  for (let found; (found = cell.exec(text)); ) {
    rows.at(-1).push(found[2] === undefined ? found[1] : found[2].replaceAll('""', '"'));
    if (found[3] === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

/** WCAG's measure, of two colours as CSS computes them. */
export function contrast(a, b) {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/\d+(\.\d+)?/g).map((c) => {
      const x = Number(c) / 255;
      return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

export const figuresIn = (report) => report.sections.flatMap((section) => section.figures ?? []);

/** Every figure of the report is there, with marks in it; the page complains about nothing and asks for nothing. */
export async function checkDrawn({page, problems}, report) {
  const wanted = figuresIn(report);
  same(await page.locator('figure').count(), wanted.length, 'figures');
  const marks = await page.locator('figure').evaluateAll((figures) =>
    figures.map((figure) => figure.querySelectorAll('svg .mark-group .role-mark > *').length));
  const empty = marks.findIndex((count) => count === 0);
  expect(empty < 0, `nothing is drawn in "${wanted[empty]?.title}"`);
  const bad = await page.locator('svg').evaluateAll((all) => all.some((svg) => /NaN|undefined|Infinity/.test(svg.innerHTML)));
  expect(!bad, 'NaN, Infinity or undefined in a picture');
  const twice = await page.locator('[id]').evaluateAll((all) =>
    all.map((one) => one.id).filter((id, i, ids) => ids.indexOf(id) !== i));
  same(twice, [], 'ids that are there twice');
  same(problems, [], 'problems');
}

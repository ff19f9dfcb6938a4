// Runs to report on: some that darboux samples, and some that no sampler would leave behind.
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

/** A number in (0, 1) after another, the same every time. */
export function numbers(seed) {
  let state = seed * 2654435761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Files as CmdStan writes them. `value(chain, draw, column, next)` is what is drawn; `divergent` says where. */
export function writeChains(folder, {names, chains = 4, draws = 300, value, divergent = () => false}) {
  rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  for (let chain = 1; chain <= chains; ++chain) {
    const next = numbers(chain);
    const lines = [
      '# model = made_up',
      '# method = sample (Default)',
      `#     num_samples = ${draws}`,
      '#     num_warmup = 100',
      '#     save_warmup = 0 (Default)',
      '#     thin = 1 (Default)',
      ['lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__', ...names].join(','),
      '# Adaptation terminated',
    ];
    for (let draw = 0; draw < draws; ++draw) {
      const values = names.map((_, column) => (value?.(chain, draw, column, next) ?? next()).toFixed(5));
      const lp = (-3 + next()).toFixed(5);
      lines.push([lp, '0.8', '0.5', '2', '3', Number(divergent(chain, draw)), (5 + next()).toFixed(5), ...values].join(','));
    }
    writeFileSync(join(folder, `chain_${chain}.csv`), lines.join('\n') + '\n');
  }
}

export const hostileNames = [
  '</script><script>window.hacked=1</script>',
  '<img src=x onerror=window.hacked=2>',
  "it's \"quoted\" & `ticked` \\ ${1}",
  '@DATA@ @x@ {{datum.x}}',
  'مقياس.السرعة',
  'a\u202eb\u202cc',
  'x'.repeat(300) + '.1',
  '__proto__.1',
  'Größe 🌍',
];

/** Two runs of one model whose folders have names as people give them. */
export const longNames = ['credit-risk-regression-with-the-usual-prior-2026-01-31-first-try', 'credit-risk-regression-with-a-wide-prior-and-thirty-steps-2026-02-01'];

/** The page of `darboux reproduce`, in its folder, and what it was given. */
export function reproduce(darboux, out, what, ...settings) {
  const folder = join(out, `reproduce-${what}`);
  rmSync(folder, {recursive: true, force: true});
  execFileSync(darboux, ['reproduce', what, ...settings, '--out', folder]);
  const file = join(folder, 'report.html');
  return {folder, file, report: JSON.parse(readFileSync(file, 'utf8').match(/id="report_data">(.*?)<\/script>/s)[1])};
}

/** A table with a number, two values, a category, and numbers of rows. */
export function writeTable(file) {
  const next = numbers(5);
  const lines = ['id,died,age,married,class'];
  for (let i = 0; i < 300; ++i) {
    const [age, married, level] = [20 + 60 * next(), Number(next() < 0.5), Math.floor(3 * next())];
    const odds = Math.exp(-1 + 0.03 * (age - 50) + 0.5 * married + 0.5 * level);
    lines.push([i + 1, next() < odds / (1 + odds) ? 'yes' : 'no', age.toFixed(1), married, ['first', 'second', 'third'][level]].join(','));
  }
  writeFileSync(file, lines.join('\n') + '\n');
}

/** More predictors than a figure shows; the odds depend on every tenth. */
export function writeWideTable(file, columns) {
  const next = numbers(6);
  const lines = [['y', ...Array.from({length: columns}, (_, j) => `x${j}`)].join(',')];
  for (let i = 0; i < 600; ++i) {
    const x = Array.from({length: columns}, () => next() - 0.5);
    const odds = Math.exp(x.reduce((sum, one, j) => sum + (j % 10 === 0 ? 4 * one : 0), 0));
    lines.push([next() < odds / (1 + odds) ? 1 : 0, ...x.map((one) => one.toFixed(3))].join(','));
  }
  writeFileSync(file, lines.join('\n') + '\n');
}

export function makeRuns(darboux, data, out) {
  const sample = (name, ...settings) => {
    rmSync(join(out, name), {recursive: true, force: true});
    execFileSync(darboux, ['sample', ...settings, '--quiet', '--out', join(out, name)]);
  };
  sample('german', 'logistic', '--data', data, '--seed', '1', '--log-likelihood'); // and so a calibration curve
  sample('magnetic', 'logistic', '--data', data, '--seed', '2', '--structure', 'magnetic-position');
  sample(longNames[0], 'logistic', '--data', data, '--seed', '1');
  sample(longNames[1], 'logistic', '--data', data, '--seed', '2', '--prior-scale', '3', '--steps', '30');
  writeFileSync(join(out, 'other.csv'), readFileSync(data, 'utf8').split('\n').slice(0, 700).join('\n') + '\n');
  sample('other-data', 'logistic', '--data', join(out, 'other.csv'), '--seed', '1');
  writeTable(join(out, 'categories.csv'));
  sample('categories', 'logistic', '--data', join(out, 'categories.csv'), '--response', 'died', '--drop', 'id', '--seed', '1');
  writeWideTable(join(out, 'predictors.csv'), 50);
  sample('predictors', 'logistic', '--data', join(out, 'predictors.csv'), '--seed', '1');
  sample('coupled', 'skewed', '--dimension', '4', '--structure', 'coupled', '--strength', '0.5', '--integrator', 'midpoint', '--seed', '1');
  sample('approximate', 'skewed', '--dimension', '4', '--structure', 'coupled', '--integrator', 'explicit', '--seed', '1');
  writeChains(join(out, 'stray'), {
    names: ['theta', 'beta.1', 'beta.2'],
    value: (chain, _, column, next) => next() + (chain === 3 && column === 2 ? 1 : 0),
  });
  writeChains(join(out, 'divergent'), {
    names: ['theta', 'tau'],
    value: (chain, draw, column, next) => next() - (column === 1 && draw % 29 === 0 ? 2 : 0),
    divergent: (_, draw) => draw % 29 === 0,
  });
  writeChains(join(out, 'hostile'), {names: hostileNames});
  writeChains(join(out, 'wide'), {names: Array.from({length: 100}, (_, i) => `theta.${i + 1}`), chains: 64});
}

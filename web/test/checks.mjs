// Checks, each of which prints a line that says how it went; one that fails does not keep others from being tried.
let failures = 0;
export const allPassed = () => failures === 0;

export async function check(name, action) {
  try {
    await action();
    console.log(`passed: ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAILED: ${name}: ${String(error?.message ?? error).split('\n')[0]}`);
  }
}
export function expect(truth, problem) {
  if (!truth) throw new Error(problem);
}
export function same(found, wanted, what) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  expect(a === b, `${what}: ${a.slice(0, 200)} instead of ${b.slice(0, 200)}`);
}

import { parseArgs } from 'node:util';
import { check, installChecker } from './checker.ts';
import { type Configuration, findConfigurations, inWords, isAsExpected, readOutput } from './models.ts';

/**
 * Checks the models (docs/internals/proofs.md): `npm run proof -- formal [NAME…] [--share ci] [--workers N] [--heap MB]`.
 * A NAME is the start of a configuration's name, such as `caching` or `caching/no-margin`. Ends non-zero if a
 * model that should hold is violated, or one with a rule removed is not. `--workers` is how many are checked at
 * once.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: 'string' },
    workers: { type: 'string', default: '2' },
    heap: { type: 'string', default: '2000' },
  },
});
if (values.share !== undefined && values.share !== 'ci') refuse('the only share is: ci');

const all = findConfigurations();
const wanted = all.filter(
  ({ name, isInCi }) =>
    (values.share === undefined || isInCi) &&
    (positionals.length === 0 || positionals.some((start) => name.startsWith(start))),
);
if (wanted.length === 0) {
  const models = new Set(all.map(({ name }) => name.split('/')[0]));
  refuse(
    `no configuration begins with ${positionals.join(' or ')}; the models are: ${[...models].join(', ')}`,
  );
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

const jar = installChecker();
const width = Math.max(...wanted.map(({ name }) => name.length));
let surprises = 0;

async function judge(configuration: Configuration): Promise<void> {
  const begun = performance.now();
  const isShort = values.share === 'ci';
  const output = await check(configuration, { jar, heapMegabytes: Number(values.heap), isShort });
  const { outcome, states } = readOutput(output);
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
  const measured = `${states.toLocaleString('en').padStart(13)} states ${seconds.padStart(7)} s`;
  const isRight = isAsExpected(outcome, configuration.expected);
  const verdict = isRight ? '' : `, but expected: ${inWords(configuration.expected)}`;
  console.log(`${configuration.name.padEnd(width)} ${measured}  ${inWords(outcome)}${verdict}`);
  if (isRight) return;
  surprises += 1;
  console.log(output);
}

const left = [...wanted];
const workThrough = async (): Promise<void> => {
  for (let next = left.shift(); next !== undefined; next = left.shift()) await judge(next);
};
await Promise.all(Array.from({ length: Math.max(1, Number(values.workers)) }, workThrough));
console.log(`${wanted.length} configurations, ${surprises} not as expected`);
process.exitCode = surprises === 0 ? 0 : 1;

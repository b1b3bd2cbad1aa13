import { statSync } from 'node:fs';
import budgets from './budgets.json' with { type: 'json' };

/**
 * `npm run budgets`, after `npm run package`: compares the packages' sizes with their budgets. The tests of
 * the engine compare reads with theirs.
 */
let broken = 0;
for (const [name, { zippedBytes }] of Object.entries(budgets.packages)) {
  const { size } = statSync(new URL(`../.serverless/${name}.zip`, import.meta.url));
  const holds = size <= zippedBytes;
  if (!holds) broken += 1;
  console.log(`${holds ? 'ok    ' : 'BROKEN'} ${name}.zip ${size} bytes, budget ${zippedBytes}`);
}
process.exitCode = broken === 0 ? 0 : 1;

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import budgets from './budgets.json' with { type: 'json' };

/**
 * `npm run bench -- budgets`, after `npm run package` and `npm run explorer`: compares the sizes of the packages and of the
 * explorer's page with their budgets. The tests of the engine compare reads with theirs.
 */
let broken = 0;

function compare(what: string, bytes: number, budget: number): void {
  const holds = bytes <= budget;
  if (!holds) broken += 1;
  console.log(`${holds ? 'ok    ' : 'BROKEN'} ${what} ${bytes} bytes, budget ${budget}`);
}

for (const [name, { zippedBytes }] of Object.entries(budgets.packages))
  compare(`${name}.zip`, statSync(new URL(`../.serverless/${name}.zip`, import.meta.url)).size, zippedBytes);

/** All that the page may load in either mode, as servers of static files compress it. */
const page = new URL('../explorer/built/', import.meta.url);
const sizes = readdirSync(page).map((name) => gzipSync(readFileSync(new URL(name, page))).length);
compare(
  "the explorer's page, compressed,",
  sizes.reduce((sum, size) => sum + size, 0),
  budgets.explorer.gzippedBytes,
);
process.exitCode = broken === 0 ? 0 : 1;

import { readFileSync } from 'node:fs';
import { messageOf } from '../../local/message-of.ts';
import { type Child, startChild } from './child.ts';
import { type Caller, generate } from './generate.ts';
import type { LocalTarget } from './local-stack.ts';
import { HELP, type LoadRequest, Misuse, readLoadRequest, readPaths, readTokens } from './options.ts';
import { describeLoad, errorsOf } from './report.ts';

/**
 * `npm run bench -- load-test --url URL --token-file FILE --path PATH`: a load test for a deployed API, bounded in time,
 * rate and connections. Without `--url` it starts a local stack of its own (docs/performance/load.md).
 */
const INTERRUPTED = 130;

function read(option: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Misuse(`--${option} ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Every token requests every path. */
function callersOf({ tokenFile, paths, pathFile }: LoadRequest): readonly Caller[] {
  const tokens = tokenFile === undefined ? [] : readTokens(read('token-file', tokenFile), tokenFile);
  const inFile = pathFile === undefined ? [] : readPaths(read('path-file', pathFile), pathFile);
  const asks = [...paths, ...inFile].map((path) => ({ path }));
  return tokens.map((token) => ({ token, asks }));
}

async function measure(request: LoadRequest, { url, callers }: LocalTarget): Promise<number> {
  const { rate, seconds, connections, mostErrors } = request;
  const interrupt = new AbortController();
  // Only once: a second Ctrl-C kills the process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
  console.log(
    `${url}: ${rate} requests per second for ${seconds} s, ${callers.length} tokens, ` +
      `at most ${connections} connections; Ctrl-C stops it\n`,
  );
  const measured = await generate({ ...request, url, callers }, { signal: interrupt.signal });
  console.log(describeLoad(rate, measured));
  if (interrupt.signal.aborted) return INTERRUPTED;
  return errorsOf(measured).share > mostErrors ? 1 : 0;
}

async function main(): Promise<number> {
  const request = readLoadRequest(process.argv.slice(2));
  if (!request) {
    console.log(HELP);
    return 0;
  }
  if (request.url) return measure(request, { url: request.url.href, callers: callersOf(request) });
  const stack: Child<object, LocalTarget> = startChild(new URL('./local-stack.ts', import.meta.url));
  try {
    return await measure(request, await stack.ask({}));
  } finally {
    await stack.stop();
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`load: ${messageOf(error)}`);
    process.exit(error instanceof Misuse ? 2 : 1);
  },
);

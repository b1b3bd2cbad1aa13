import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { createHandlerFrom } from '../authorizer/compose.ts';
import { withEngine } from './harness/engine.ts';
import { httpEvent } from './model/events.ts';
import { answerKeys, createTokenSource, TOKEN_ENVIRONMENT } from './model/tokens.ts';
import { idOf, visitOf } from './model/visits.ts';
import { createBenchWorld, drawQuestions } from './model/world.ts';
import { API_NAME, createTableFor } from './peers/authorizer.ts';

/**
 * `npm run bench -- request-path`: the number of files that a request runs through. The composed authorizer answers
 * HTTP requests on the embedded engine, run from the sources; V8's coverage says which functions run while it
 * does.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = /^(?:authorizer|engine|table)\//;
/** Files of authorizer/, engine/ and table/ in which functions may run. */
const BOUNDS = { warm: 25, 'warm, decided anew': 28, 'cold, nested': 44 } as const;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The functions that ran since the last call. */
const takeCoverage = async () => (await session.post('Profiler.takePreciseCoverage')).result;

/** Files in which functions run while `act` does; a module's own body is not one of them. */
async function filesRunBy(act: () => Promise<unknown>): Promise<readonly string[]> {
  await takeCoverage();
  await act();
  const files = (await takeCoverage()).flatMap(({ url, functions }) => {
    const path = url.startsWith('file:') ? fileURLToPath(url).slice(ROOT.length) : '';
    // The range that starts at offset 0 is the module's own body.
    const ran = functions.some(({ ranges: [all] }) => all && all.startOffset > 0 && all.count > 0);
    return FOLDERS.test(path) && ran ? [path] : [];
  });
  return [...new Set(files)].sort();
}

await withEngine(async (endpoint) => {
  const world = createBenchWorld();
  const { table, reader } = await createTableFor(world, endpoint);
  const source = await createTokenSource('RS256');
  const question = drawQuestions(world, 20).find(({ allowed }) => allowed);
  if (!question) throw new Error('no question is allowed');
  const event = httpEvent(visitOf(question, await source.token(idOf(question.subject))));
  const askerWith = (KEEP_DECISIONS: 'on' | 'off') => {
    const env = { ...TOKEN_ENVIRONMENT, TABLE_NAME: table, API_NAME, KEEP_DECISIONS };
    const handler = createHandlerFrom(env, { reader, fetch: answerKeys(source) });
    return async () => {
      const answer = await handler(event);
      if (!('isAuthorized' in answer && answer.isAuthorized)) throw new Error('the request was refused');
    };
  };
  const [ask, askAnew] = [askerWith('on'), askerWith('off')];
  const files = { 'cold, nested': await filesRunBy(ask), warm: await filesRunBy(ask) };
  await askAnew();
  const ranBy = { ...files, 'warm, decided anew': await filesRunBy(askAnew) };
  for (const [name, bound] of Object.entries(BOUNDS)) {
    const ran = ranBy[name as keyof typeof ranBy];
    console.log(`\n${[`${name}: ${ran.length} files, at most ${bound}`, ...ran].join('\n  ')}`);
    if (ran.length > bound) process.exitCode = 1;
  }
});
process.exit();

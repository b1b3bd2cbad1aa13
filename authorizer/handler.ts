import { systemClock } from '../engine/clock.ts';
import { startWith } from '../engine/log.ts';
import type { Authorizer } from './authorizer.ts';
import { composeFrom } from './compose.ts';
import { warmUp } from './warm-up.ts';

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const composed = startWith({ service: 'authorizer', write }, () => composeFrom(process.env));
const warm = warmUp(composed, systemClock);

/** The Lambda function `authorizer`. Created at cold start, where an invalid configuration fails. */
export const handler = composed.authorizer;

/**
 * Makes the loaded module one that can be awaited. Lambda's runtime awaits what it loads, so that the INIT phase ends
 * when `warm` does; a runtime that does not gets the handler at once (ADR 0051).
 */
export function then(
  this: { handler: Authorizer },
  resolve: (module: { handler: Authorizer }) => void,
): void {
  // The handler of now: instrumentation may have wrapped it in place.
  void warm.then(() => resolve({ handler: this.handler }));
}

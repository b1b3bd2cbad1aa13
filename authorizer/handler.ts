import { systemClock } from '../engine/clock.ts';
import { startWith } from '../engine/log.ts';
import { type Module, warmUp, whenWarm } from '../engine/warm-up.ts';
import { unsetEmptyOfSdk } from '../table/environment.ts';
import type { Authorizer } from './authorizer.ts';
import { composeFrom } from './compose.ts';
import { warmUpOf } from './warm-up.ts';

unsetEmptyOfSdk(process.env);
const composed = startWith({ service: 'authorizer' }, () => composeFrom(process.env));

/** The Lambda function `authorizer`. Created at cold start, where an invalid configuration fails. */
export const handler = composed.authorizer;

const warm = warmUp(warmUpOf(composed, systemClock));

/** Makes the loaded module one that can be awaited: whoever does gets the handler when it is warm. */
export function then(this: Module<Authorizer>, resolve: (module: Module<Authorizer>) => void): void {
  void whenWarm(warm, this).then(resolve);
}

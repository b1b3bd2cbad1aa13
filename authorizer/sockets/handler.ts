import { startWith, writeLine } from '../../engine/log.ts';
import { type Module, warmUp, whenWarm } from '../../engine/warm-up.ts';
import { unsetEmptyOfSdk } from '../../table/environment.ts';
import { composeFrom } from './compose.ts';
import type { Sockets } from './sockets.ts';
import { warmUpOf } from './warm-up.ts';

unsetEmptyOfSdk(process.env);
const composed = startWith({ service: 'sockets' }, () => composeFrom(process.env, writeLine));

/** The Lambda function `sockets`. Created at cold start, where an invalid configuration fails. */
export const handler = composed.sockets;

const warm = warmUp(warmUpOf(composed));

/** Makes the loaded module one that can be awaited: whoever does gets the handler when it is warm. */
export function then(this: Module<Sockets>, resolve: (module: Module<Sockets>) => void): void {
  void whenWarm(warm, this).then(resolve);
}

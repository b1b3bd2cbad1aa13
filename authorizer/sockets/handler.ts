import { startWith } from '../../engine/log.ts';
import { type Module, warmUp, whenWarm } from '../../engine/warm-up.ts';
import { unsetEmptyOfSdk } from '../../table/environment.ts';
import { composeFrom } from './compose.ts';
import type { Sockets } from './sockets.ts';
import { warmUpOf } from './warm-up.ts';

const write = (line: string): void => void process.stdout.write(`${line}\n`);
unsetEmptyOfSdk(process.env);
const composed = startWith({ service: 'sockets', write }, () => composeFrom(process.env, write));

/** The Lambda function `sockets`. Created at cold start, where an invalid configuration fails. */
export const handler = composed.sockets;

const warm = warmUp(warmUpOf(composed));

/** Makes the loaded module one that can be awaited: whoever does gets the handler when it is warm. */
export function then(this: Module<Sockets>, resolve: (module: Module<Sockets>) => void): void {
  void whenWarm(warm, this).then(resolve);
}

import { createLambdaHandler, type LambdaHandler } from '../authorizer/service/lambda.ts';
import { systemClock } from '../engine/clock.ts';
import { startWith } from '../engine/log.ts';
import { type Module, warmUp, whenWarm } from '../engine/warm-up.ts';
import { unsetEmptyOfSdk } from '../table/environment.ts';
import { composeFrom } from './compose.ts';
import { warmUpOf } from './warm-up.ts';

unsetEmptyOfSdk(process.env);
const composed = startWith({ service: 'authzen' }, () => composeFrom(process.env));

/** The Lambda function `authzen`. Created at cold start, where an invalid configuration fails. */
export const handler = createLambdaHandler(composed.handle, composed.decisionLog?.end);

const warm = warmUp(warmUpOf(composed, systemClock));

/** Makes the loaded module one that can be awaited: whoever does gets the handler when it is warm. */
export function then(this: Module<LambdaHandler>, resolve: (module: Module<LambdaHandler>) => void): void {
  void whenWarm(warm, this).then(resolve);
}

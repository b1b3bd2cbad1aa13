import { ulid } from 'ulid';
import { functionTransport } from '../../cli/lambda.ts';
import { deliverer } from '../../cli/transport.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { createPopulation } from '../load/population.ts';

export type World = Awaited<ReturnType<typeof createWorld>>;

const PEOPLE = 100;
const DEADLINE_MS = 60_000;

/** The people of the load test, made through the deployed function. */
export async function createWorld(
  provisioning: string,
  region: string,
  tokenOf: (user: string) => Promise<string>,
) {
  const transport = functionTransport({ name: `${provisioning}:live`, region });
  const pacing = createPacing({ deadlineMs: DEADLINE_MS });
  const deliver = deliverer(transport, { pacing, newId: () => ulid() });
  const invoke = async (event: Readonly<Record<string, unknown>>) => (await deliver(event as never)).answer;
  const { askers, callers, write, toggle } = await createPopulation(invoke, PEOPLE, tokenOf);
  const pathOf = ({ questions }: (typeof askers)[number], isAllowed: boolean) =>
    questions.find(({ allowed }) => allowed === isAllowed)?.path ?? '';
  const found = askers.find((one) => !one.isWritten && pathOf(one, true) && pathOf(one, false));
  const taken = askers.find((one) => one.isWritten && pathOf(one, true));
  if (!found || !taken) throw new Error('the people of the load test have nothing to ask');
  return {
    callers,
    write,
    /** One who is never written to: a path that is allowed, and one that is not. */
    sample: { token: found.token, allowed: pathOf(found, true), refused: pathOf(found, false) },
    /** Of one of those who are written to: a path that is allowed while they are in their group. */
    revoked: { token: taken.token, allowed: pathOf(taken, true), take: () => toggle(taken) },
  };
}

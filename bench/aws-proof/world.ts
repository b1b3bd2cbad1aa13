import { ulid } from 'ulid';
import { functionTransport } from '../../cli/lambda.ts';
import { deliverer } from '../../cli/transport.ts';
import { createPacing } from '../../table/read/pacing.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import type { Caller } from '../load/generate.ts';
import { createPopulation, type Person, questionsOf } from '../load/population.ts';
import type { Issuer } from './tokens.ts';

export interface World {
  /** With the right answers; both are right for people who are written to. */
  readonly callers: readonly Caller[];
  /** Removes the next of these people from their group, or adds them again. */
  readonly write: () => Promise<void>;
  /** One who is never written to: a path that is allowed, and one that is not. */
  readonly sample: { readonly token: string; readonly allowed: string; readonly refused: string };
  /** Of one of those who are written to: a path that is allowed while they are in their group. */
  readonly revoked: { readonly token: string; readonly allowed: string; readonly take: () => Promise<void> };
}

const PEOPLE = 100;
const DEADLINE_MS = 60_000;
const [OK, REFUSED] = [200, 403];

/** The people of the load test, made through the deployed function. */
export async function createWorld(provisioning: string, region: string, issuer: Issuer): Promise<World> {
  const transport = functionTransport({ name: `${provisioning}:live`, region });
  const pacing = createPacing({ deadlineMs: DEADLINE_MS });
  const deliver = deliverer(transport, { pacing, newId: () => ulid() });
  const invoke = async (event: Readonly<Record<string, unknown>>) => (await deliver(event as never)).answer;
  const random = createRandom(1_848);
  const population = await createPopulation({ invoke, count: PEOPLE, random });
  const asked = await Promise.all(
    population.people.map(async (person) => ({
      person,
      token: await issuer.tokenOf(person.email),
      questions: questionsOf(population, person, random),
    })),
  );
  const callers = asked.map(({ person, token, questions }) => ({
    token,
    asks: questions.map(({ path, allowed }) => ({
      path,
      expected: !allowed ? [REFUSED] : person.isWritten ? [OK, REFUSED] : [OK],
    })),
  }));
  const isOut = new Set<Person>();
  const toggle = async (person: Person): Promise<void> => {
    const command = isOut.has(person) ? 'membership.create' : 'membership.delete';
    const input = { user: person.id, group: person.group };
    const answer = (await invoke({ command, input, actor: 'aws-proof' })) as Awaited<
      ReturnType<typeof transport>
    >;
    if (!answer.ok) throw new Error(`${command}: ${answer.error.message}`);
    if (!isOut.delete(person)) isOut.add(person);
  };
  const written = asked.filter(({ person }) => person.isWritten);
  const pathOf = ({ questions }: (typeof asked)[number], isAllowed: boolean) =>
    questions.find(({ allowed }) => allowed === isAllowed)?.path;
  const found = asked.find((one) => !one.person.isWritten && pathOf(one, true) && pathOf(one, false));
  const taken = written.find((one) => pathOf(one, true));
  if (!found || !taken) throw new Error('the people of the load test have nothing to ask');
  let turn = 0;
  return {
    callers,
    write: () => toggle((written[turn++ % written.length] as (typeof asked)[number]).person),
    sample: {
      token: found.token,
      allowed: pathOf(found, true) ?? '',
      refused: pathOf(found, false) ?? '',
    },
    revoked: { token: taken.token, allowed: pathOf(taken, true) ?? '', take: () => toggle(taken.person) },
  };
}

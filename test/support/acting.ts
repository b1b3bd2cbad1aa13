import { type Change, update } from '../../table/decision/entries.ts';
import { stamped } from '../../table/decision/writes.ts';
import { parseRef, parseSubjectRef } from '../../table/identifiers.ts';
import { decisionKey, type Key } from '../../table/keys.ts';
import type { World } from './world.ts';

/** What the decision item of a mandate holds, unless a test says otherwise. */
export const mandateItem = (
  more: Readonly<Record<string, unknown>>,
  endsAt: number,
): Readonly<Record<string, unknown>> => ({
  subject: 'user:ann',
  actor: 'agent:bot',
  status: 'active',
  endsAt: new Date(endsAt).toISOString(),
  permissions: ['*:*:*'],
  scopes: ['tenant:acme'],
  ...more,
});

type Place = Pick<World, 'writer' | 'clock'>;
let writes = 0;

/** Writes the decision item of a mandate, beside what it holds already. */
export const writeMandate = (world: Place, ref: string, set: Readonly<Record<string, unknown>>) =>
  write(world, decisionKey(parseRef(ref, 'mandate')), set);

/** Writes the decision item of a subject. */
export const writeSubject = (world: Place, ref: string, set: Readonly<Record<string, unknown>>) =>
  write(world, decisionKey(parseSubjectRef(ref, 'subject')), set);

async function write({ writer, clock }: Place, key: Key, set: Readonly<Record<string, unknown>>) {
  writes += 1;
  const change = update(key, { set: set as Change['set'] & object });
  await writer.send(stamped([change], { writtenAt: clock.now(), writeId: `acting-${writes}` }));
}

import { createHash } from 'node:crypto';
import type { Actor } from '../../../engine/index.ts';
import { formatMandateToken } from '../../../table/api-token.ts';
import type { Mandate, Model, Question } from './model.ts';
import type { Operation } from './operations.ts';
import type { Random } from './random.ts';

/** Random mandates, and who acts by them (ADR 0048). */

/** Every secret is this one: so the hash of a token is known before the token is made. */
export const SECRET = 'A'.repeat(43);

/** A mandate that a world may have: whose it is and in which tenant never differs, so that questions often meet it. */
export interface MandateName {
  readonly id: string;
  readonly subject: string;
  readonly actor: string;
  readonly root: string;
}

/** What mandates are drawn from. */
export interface Drawn {
  readonly mandates: readonly MandateName[];
  readonly subjects: readonly string[];
  readonly places: readonly { readonly ref: string; readonly root: string }[];
  readonly withConditions: boolean;
}

const isAgent = (ref: string): boolean => ref.startsWith('agent:');
const MANDATED = [
  ...['dashboard', 'menu', 'alarms:read:door', 'alarms:stop:door', 'reports:read:door'],
  ...['alarms:*:*', 'alarms:read:*', 'alarms:*:door', 'reports:*:door', 'reports:stop:*'],
];
const CONDITIONS = [
  'action.properties.soft',
  'action.properties.weight <= 1.0',
  'has(action.properties.weight) || action.name == "read"',
  'action.name != "low" && !action.properties.soft',
];

/** Ends after every question, and within a day. */
const LONG_MS = 15 * 3_600_000;

/** Names of mandates of anybody but agents, mostly to agents. */
export const nameMandates = (
  random: Random,
  { subjects, places }: Pick<Drawn, 'subjects' | 'places'>,
  count: number,
): readonly MandateName[] =>
  Array.from({ length: count }, (_, n) => {
    const others = subjects.filter((ref) => !isAgent(ref));
    const subject = random.pick(n % 2 === 0 ? others.slice(0, 3) : others);
    const actors = subjects.filter((ref) => ref !== subject && (isAgent(ref) || n % 5 === 0));
    return { id: `mandate-${n}`, subject, actor: random.pick(actors), root: random.pick(places).root };
  });

const hasToken = ({ id }: { readonly id: string }): boolean => id.endsWith('3') || id.endsWith('6');
const tokenHash = ({ actor, subject, id }: Omit<MandateName, 'root'>): string =>
  createHash('sha256')
    .update(formatMandateToken(actor, subject, id, SECRET))
    .digest('base64url');

/** A mandate; seldom with an end of these, with a budget, with a condition. */
export function createMandate(
  random: Random,
  { mandates, places, withConditions }: Drawn,
  ends: readonly number[],
  { root, ...named } = random.pick(mandates),
): Operation {
  const below = places.filter((each) => each.root === root).map(({ ref }) => ref);
  const isWide = random.oneIn(2);
  const ofMandate = {
    ...named,
    permissions: isWide ? MANDATED : [...new Set([...random.some(MANDATED, 5), random.pick(MANDATED)])],
    scopes: isWide || random.oneIn(2) ? [root] : [...new Set([...random.some(below, 2), random.pick(below)])],
    endsAt: random.oneIn(3) ? random.pick(ends) : (ends.at(-1) as number) + LONG_MS,
    ...(withConditions && random.oneIn(3) ? { when: random.pick(CONDITIONS) } : {}),
  };
  const budget = random.pick([{ uses: 3 }, { sum: 500, of: 'weight' }]);
  return mandate(ofMandate, random.oneIn(6) ? budget : undefined, hasToken(named));
}

type Content = Omit<MandateName, 'root'> & Pick<Mandate, 'permissions' | 'scopes' | 'when' | 'endsAt'>;

export const mandate = (content: Content, budget?: object, token = false): Operation => ({
  command: 'mandate.create',
  input: {
    ...content,
    purpose: 'a proof',
    endsAt: new Date(content.endsAt).toISOString(),
    ...(budget && { budget }),
    ...(token && { token }),
  },
  apply: (model) =>
    model.mandates.push({
      ...content,
      active: true,
      counted: budget !== undefined,
      ...(token && { hash: tokenHash(content) }),
    }),
});

const ending = (command: string, input: object, isMeant: (each: Mandate) => boolean): Operation => ({
  command,
  input: { ...input },
  apply: (model) => {
    for (const each of model.mandates) if (isMeant(each)) each.active = false;
  },
});
export const endMandate = (id: string): Operation => ending('mandate.end', { id }, (each) => each.id === id);
export const endMandatesOf = (subject: string): Operation =>
  ending('mandate.end-all', { subject }, (each) => each.subject === subject);

/** Lets an agent act without a mandate, or no longer. */
export const setMandateOptional = (ref: string, mandateOptional: boolean): Operation => ({
  command: 'subject.update',
  input: { type: 'agent', id: ref.slice('agent:'.length), mandateOptional },
  apply: (model: Model) => {
    for (const each of model.subjects) if (each.ref === ref) each.mandateOptional = mandateOptional;
  },
});

export const changeMandateOptional = (random: Random, { subjects }: Drawn): Operation =>
  setMandateOptional(random.pick(subjects.filter(isAgent)), random.oneIn(2));

/** The question, asked by who acts by a mandate; now and then for another one, by another one, or by none. */
export function askedByActor(
  random: Random,
  { mandates, subjects, places }: Drawn,
  question: Question,
  ends: readonly number[],
): Question {
  const named = random.pick(mandates);
  const subject = random.oneIn(8) ? question.subject : named.subject;
  const mandate = random.oneIn(6) ? undefined : `mandate:${random.oneIn(16) ? 'ghost' : named.id}`;
  const actor: Actor = {
    subject: random.oneIn(8) ? random.pick([...subjects, 'agent:ghost']) : named.actor,
    mandate,
    ...(mandate !== undefined &&
      random.oneIn(hasToken(named) ? 2 : 16) && { hash: random.oneIn(8) ? 'another' : tokenHash(named) }),
    ...(random.oneIn(12) && { until: random.pick(ends) }),
  };
  const there = places.filter(({ root }) => root === named.root);
  const scope = random.oneIn(3) ? question.scope : random.oneIn(2) ? named.root : random.pick(there).ref;
  return { ...question, subject, scope, actor };
}

import type { ModelState, TestOutcome } from '../../playground/model.ts';
import { OF_PLAYGROUND } from '../parts/fields.ts';
import { formatInstant } from '../parts/instant.ts';

/** Questions that come with a model. */

/** The state of an address, and changes of it: undefined takes a name out. */
type State = Readonly<Record<string, string>>;
type Patch = Readonly<Record<string, string | undefined>>;

/** A question of a model test with what became of it. */
export type Answer = TestOutcome['answers'][number];

/** The state of an address that asks the same. */
export function stateOf(answer: Answer, { names }: ModelState): Patch {
  const { subject, actor, permission, scope, at, given } = answer;
  const isGiven = Object.values(given).some((part) => part !== undefined);
  return {
    subject: names.subject[subject] ?? subject,
    actor: actor && (names.subject[actor.subject] ?? actor.subject),
    mandate: actor?.mandate,
    permission,
    scope: names.scope[scope] ?? scope,
    at: formatInstant(Date.parse(at)),
    given: isGiven ? JSON.stringify(given) : undefined,
  };
}

/** Whether a model knows who, what and where is asked about. */
const knows = ({ names, permissions }: ModelState, { subject, permission, scope }: Patch): boolean =>
  Object.values(names.subject).some((ref) => ref === subject) &&
  Object.values(names.scope).some((ref) => ref === scope) &&
  permissions.some((name) => name === permission);

/** Whether most of the people and places of a model are gone: then it is not an edit of it, but another one. */
function isOther(before: ModelState, after: ModelState): boolean {
  const refsOf = ({ names }: ModelState) => [...Object.values(names.subject), ...Object.values(names.scope)];
  const there = new Set(refsOf(after));
  const refs = refsOf(before);
  return refs.filter((ref) => there.has(ref)).length * 2 < refs.length || refs.length === 0;
}

/**
 * The question of another model, in the place of one that was asked about the model before: the first of its tests that
 * it can answer, or else one about the first of its people, permissions and places.
 *
 * @returns the changes of the address; undefined where its question stays
 */
export function questionOfOther(
  state: State,
  before: ModelState | undefined,
  after: ModelState,
): Patch | undefined {
  const isAsked = Boolean(state.subject || state.permission || state.scope);
  if (!before || !after.isCurrent || !isOther(before, after)) return undefined;
  if (isAsked && (knows(after, state) || !knows(before, state))) return undefined;
  const [subject] = Object.values(after.names.subject);
  const [scope] = Object.values(after.names.scope);
  const [permission] = after.permissions;
  const ofTests = after.tests
    .flatMap(({ answers }) => answers.map((answer) => stateOf(answer, after)))
    .find((patch) => knows(after, patch));
  const own = subject && permission && scope ? { subject, permission, scope } : undefined;
  const nothing = Object.keys(state).flatMap((name) =>
    OF_PLAYGROUND.includes(name) ? [] : [[name, undefined]],
  );
  return { ...Object.fromEntries(nothing), ...(ofTests ?? own) };
}

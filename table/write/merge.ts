import { defined } from '../defined.ts';
import { GatehouseError } from '../errors.ts';
import { identityOf } from '../keys.ts';
import { type Action, type Delete, keyOf, type Update } from './action.ts';
import { otherwise } from './other-form.ts';
import { meets } from './sequence.ts';

/**
 * Brings the actions of one transaction down to one per item, so that edges and nodes can each say what
 * they need without knowing of the others: updates of one item unite, and a deletion swallows updates.
 */
export function mergeActions(actions: readonly Action[]): readonly Action[] {
  const merged = new Map<string, Action>();
  for (const action of actions) {
    const identity = identityOf(keyOf(action));
    const earlier = merged.get(identity);
    merged.set(identity, earlier ? unite(earlier, action) : action);
  }
  return [...merged.values()];
}

function unite(a: Action, b: Action): Action {
  if (a.kind === 'update' && b.kind === 'update') return uniteUpdates(a, b);
  if (a.kind === 'delete' && b.kind === 'delete') return uniteDeletes(a, b);
  if (a.kind === 'delete' && b.kind === 'update') return a;
  if (a.kind === 'update' && b.kind === 'delete') return b;
  const { PK, SK } = keyOf(a);
  throw new GatehouseError(
    'internal',
    `a ${a.kind} and a ${b.kind} of one item cannot be one write: ${PK} / ${SK}`,
  );
}

const uniteDeletes = (a: Delete, b: Delete): Delete => ({
  kind: 'delete',
  key: a.key,
  ...uniteConditions(a, b),
});

function uniteUpdates(a: Update, b: Update): Update {
  const united = {
    set: { ...a.set, ...b.set },
    remove: [...new Set([...(a.remove ?? []), ...(b.remove ?? [])])],
    add: uniteMembers(a.add, b.add),
    takeOut: uniteMembers(a.takeOut, b.takeOut),
  };
  assertDisjoint(a.key, united);
  return { kind: 'update', key: a.key, ...united, ...uniteConditions(a, b), ...uniteOtherForms(a, b) };
}

function uniteOtherForms(a: Update, b: Update): Pick<Update, 'otherForm'> {
  const form = a.otherForm ?? b.otherForm;
  return form ? { otherForm: { ...form, update: uniteUpdates(otherwise(a), otherwise(b)) } } : {};
}

/**
 * "Two document paths overlap": DynamoDB refuses an update that does two things to one attribute; not every
 * engine does.
 */
function assertDisjoint(
  { PK, SK }: Update['key'],
  { set, remove, add, takeOut }: Required<Pick<Update, 'set' | 'remove' | 'add' | 'takeOut'>>,
): void {
  const names = [set, add, takeOut].flatMap((part) => Object.keys(part)).concat(remove);
  const twice = names.find((name, position) => names.indexOf(name) !== position);
  if (twice !== undefined)
    throw new GatehouseError('internal', `one write does two things to ${twice} of ${PK} / ${SK}`);
}

type Conditional = Pick<Update, 'when' | 'failure'>;

/** Both conditions must hold. The first one that does not hold says how the write fails. */
function uniteConditions(a: Conditional, b: Conditional): Conditional {
  const { when, failure } = a;
  if (!when || !failure) return b.when && b.failure ? { when: b.when, failure: b.failure } : {};
  if (!b.when || !b.failure) return { when, failure };
  if (when.exists !== b.when.exists) {
    throw new GatehouseError(
      'internal',
      'one write asks for an item to be there, the other for it not to be',
    );
  }
  if (when.atMost && b.when.atMost) throw new GatehouseError('internal', 'one write counts the same twice');
  const second = b.failure;
  const atMost = when.atMost ?? b.when.atMost;
  return {
    when: { exists: when.exists, equals: { ...when.equals, ...b.when.equals }, ...defined({ atMost }) },
    failure: (found) => (meets(found, when) ? second : failure)(found),
  };
}

function uniteMembers<T extends number | Set<string>>(
  a: Readonly<Record<string, T>> = {},
  b: Readonly<Record<string, T>> = {},
): Record<string, T> {
  const united: Record<string, T> = { ...a };
  for (const [attribute, value] of Object.entries(b)) {
    const other = united[attribute];
    if (typeof other === 'number' && typeof value === 'number') united[attribute] = (other + value) as T;
    else if (other instanceof Set && value instanceof Set)
      united[attribute] = new Set([...other, ...value]) as T;
    else united[attribute] = value;
  }
  return united;
}

import { GatehouseError } from './errors.ts';
import type { Item } from './item.ts';
import { parseKey } from './keys.ts';

/**
 * Every item says the form that it is written in (ADR 0030). A new form is read one release before it is written, so
 * that readers can go first and one release can always be rolled back.
 */
export const FORM = 'v';

/**
 * The newest form that this release reads, the newest that it writes, and that of all items whose writer states none. It
 * reads all older ones too. Form 2 is that of decision items of which a part stands in items of its own, of these items,
 * and of the nodes that say where memberships go (ADR 0003): `gatehouse migrate` makes them, and whatever then belongs to them.
 */
export const FORMS: { readonly reads: number; readonly writes: number; readonly usual: number } = {
  reads: 2,
  writes: 2,
  usual: 1,
};

/** The form of items of which a part stands apart, and of these parts. */
export const SPLIT_FORM = 2;

/** The form of an item that says none: nothing but decision items did before release 0.1.0. */
const FIRST = 1;

/** The form of an item. One that is no form counts as the first: whoever decodes the item judges it. */
export const formOf = ({ [FORM]: form }: Item): number =>
  Number.isSafeInteger(form) ? (form as number) : FIRST;

/** Whether an item says a form that this release knows. */
export const saysForm = ({ [FORM]: form }: Item): boolean =>
  Number.isSafeInteger(form) && (form as number) >= FIRST && (form as number) <= FORMS.writes;

/** Whether this release does not write items of this form, and therefore leaves the item alone. */
export const isNewer = (item: Item): boolean => formOf(item) > FORMS.writes;

/** Keys without the values of persons: those of guards, names and secrets hold emails, names and the like. */
function placeOf({ PK, SK }: Item): string {
  const parsed = parseKey({ PK, SK });
  if (parsed?.form === 'guard') return `a guard of ${parsed.kind}`;
  if (parsed?.form === 'name') return `a name of ${parsed.of.type}:${parsed.of.id}`;
  return `${PK} / ${SK}`;
}

export const newer = (item: Item, known: number, verb: string): GatehouseError =>
  new GatehouseError(
    'newer_form',
    `${placeOf(item)} is of form ${formOf(item)}, newer than form ${known}, the newest that this release ${verb}: ` +
      'deploy the newer release here, readers before writers',
    { field: FORM },
  );

/**
 * Refuses to read an item of a form that a later release has made: what it says is not known here.
 *
 * @throws GatehouseError `newer_form`
 */
export function assertReadable(item: Item): void {
  if (formOf(item) > FORMS.reads) throw newer(item, FORMS.reads, 'reads');
}

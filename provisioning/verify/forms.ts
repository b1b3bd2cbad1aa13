import { FORM, FORMS, formOf, isNewer } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { isOfDecision, parseKey } from '../../table/keys.ts';
import { type Fault, type Found, fault, type Relation } from './relation.ts';

/**
 * Items of newer forms. What they say is not known here, so nothing that looks at one is judged or repaired: the relation
 * reports that the item is newer, and nothing else.
 */

const isOfDecisions = (item: Item): boolean => isOfDecision(parseKey(item));

/** Readers of decisions refuse a newer form of these. */
const isDecidedOn = (item: Item): boolean =>
  isOfDecisions(item) || parseKey(item)?.form === 'guard' || item.Type === 'RouteRule';

/** An item without its form, where it is one: it is no content. Decision items are checked with theirs. */
export function withoutForm<T extends Found>(item: T): T {
  if (item === undefined || isOfDecisions(item)) return item;
  const { [FORM]: form, ...rest } = item;
  const isForm = Number.isSafeInteger(form) && formOf(item) >= 1;
  return (isForm ? rest : item) as T;
}

const newerFaults = (items: readonly Found[]): readonly Fault[] =>
  items.flatMap((item) =>
    item && isNewer(item)
      ? [
          fault('newer_form', item, `form ${FORMS.writes} or older; it is of form ${formOf(item)}`, {
            attribute: FORM,
            effect: isDecidedOn(item) ? 'closes' : 'none',
          }),
        ]
      : [],
  );

/** That an item of a newer form is one: all that can be said about it. */
export const newerRelation = ({ PK, SK }: Item): Relation => ({
  name: `newer ${PK} ${SK}`,
  keys: [{ PK, SK }],
  judge: newerFaults,
});

/** A relation of which nothing is judged while one of its items is of a newer form. */
export function inKnownForms(relation: Relation): Relation {
  const { judge, glance } = relation;
  const areKnown = (items: readonly Found[]) => !items.some((item) => item && isNewer(item));
  return {
    ...relation,
    judge: (items) => (areKnown(items) ? judge(items.map(withoutForm)) : newerFaults(items)),
    ...(glance
      ? {
          glance: {
            keys: glance.keys,
            isFine: (items: readonly Found[]) => areKnown(items) && glance.isFine(items.map(withoutForm)),
          },
        }
      : {}),
  };
}

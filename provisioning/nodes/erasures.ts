import { defined } from '../../table/defined.ts';
import { conflict, GatehouseError } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { erasureKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import type { Action } from '../../table/write/action.ts';

/**
 * What is kept of a user who was erased: the id, and when (ADR 0016). Whoever creates the same id again would bring the
 * person back, and has to say so. While steps of the erasure are left (`erasing`), nobody can: they would take from the
 * new user what was of the one before.
 */
export const erasureOf = (user: Ref, erasedAt: string, erasing?: true): Action => ({
  kind: 'put',
  item: { ...erasureKey(user), Type: 'Erasure', erasedAt, ...defined({ erasing }) },
});

export const erasedOn = (item: Item | undefined): string =>
  `erased on ${String(item?.erasedAt).slice(0, 10)}`;

/** Goes with the creation of a user under a chosen id. */
export const createdAgain = (user: Ref, again: boolean): Action =>
  again
    ? {
        kind: 'delete',
        key: erasureKey(user),
        when: { equals: { erasing: undefined } },
        failure: () =>
          conflict('id', `${formatRef(user)} is being erased; if that has stopped, send user.erase again`),
      }
    : {
        kind: 'check',
        key: erasureKey(user),
        when: { exists: false },
        failure: (found) =>
          new GatehouseError(
            'erased',
            `${formatRef(user)} was ${erasedOn(found)}: with again=true this brings the person back`,
            { field: 'id' },
          ),
      };

/** The erasures of users, in their order; undefined for a user who was not erased. */
export const erasuresOf = (reader: Reader, ids: readonly string[]): Promise<readonly (Item | undefined)[]> =>
  reader.getMany(ids.map((id) => erasureKey({ type: 'user', id })));

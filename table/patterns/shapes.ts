import { INDEXES } from '../entities/entity.ts';
import type { EntityType } from '../entities/registry.ts';
import { nodeKey } from '../keys.ts';
import { allOf } from './lists.ts';
import { type Facts, type PageInput, pattern, refOf } from './pattern.ts';
import { itemAt, pageOf } from './reads.ts';
import { ownedBy } from './stretches.ts';

/** The shapes that many patterns have. */
type Named = Omit<Facts, 'reads'>;

/** A node by its id, which the input calls `field`: by the node's type, where nothing else is said. */
export const byId = <F extends string>(field: F, facts: Named, type: string = field) =>
  pattern({ ...facts, reads: [{ operation: 'GetItem' }] }, (reader, input: Readonly<Record<F, string>>) =>
    itemAt(reader, nodeKey(refOf(type, input[field], field))),
  );

/** All of a kind. */
export const every = (type: EntityType, facts: Named) =>
  pattern({ ...facts, reads: [{ operation: 'Query', index: INDEXES.all }] }, (reader, page: PageInput) =>
    pageOf(reader, allOf(type), page),
  );

/** What one owner has of a type. */
export const ownedOf = <O extends string>(owner: O, type: EntityType, facts: Named) =>
  pattern(
    { ...facts, reads: [{ operation: 'Query' }] },
    (reader, input: PageInput & Readonly<Record<O, string>>) =>
      pageOf(reader, ownedBy(refOf(owner, input[owner], owner), type), input),
  );

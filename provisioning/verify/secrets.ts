import type * as z from 'zod';
import type { Ref } from '../../table/identifiers.ts';
import { nodeKey, secretKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { SECRET, secretItem, splitSecrets } from '../nodes/secrets.ts';
import { changeOf, type Fault, fault, type Relation } from './relation.ts';

const OF_THE_ITEM = ['PK', 'SK', 'Type', 'updatedAt'];

/** Secrets are in their own item and nowhere else. No finding shows a value. */
export function secretRelation(ref: Ref, { entity }: NodeKind): Relation {
  const key = secretKey(ref);
  return {
    name: `secrets ${key.PK}`,
    keys: [nodeKey(ref), key],
    judge: ([node, item]) => {
      if (!node) {
        const repair: readonly Action[] = [{ kind: 'delete', key }];
        return item ? [fault('secret_left_over', key, 'no secrets: there is no such node', { repair })] : [];
      }
      const faults: Fault[] = [];
      const { secrets: misplaced } = splitSecrets(entity, node);
      // A value in the secret item is newer than one in the node.
      const { secrets: kept } = splitSecrets(entity, item ?? {});
      const whole = {
        ...item,
        ...secretItem(ref, { ...misplaced, ...kept }, String(item?.updatedAt ?? node.updatedAt)),
      };
      const put: Action = { kind: 'put', item: whole };
      for (const attribute of Object.keys(misplaced))
        faults.push(
          fault('secret_misplaced', nodeKey(ref), `at ${key.PK}`, {
            attribute,
            repair: [...changeOf(nodeKey(ref), { [attribute]: undefined }), put],
          }),
        );
      const damaged = (attribute: string, expected: string, repair?: readonly Action[]) =>
        faults.push(fault('secret_damaged', key, expected, { attribute, repair }));
      if (item && item.Type !== SECRET) damaged('Type', SECRET, [put]);
      const shape = entity.attributes.shape as Record<string, z.ZodType>;
      for (const [attribute, value] of Object.entries(kept))
        if (shape[attribute]?.safeParse(value).success !== true) damaged(attribute, 'a text');
      for (const attribute of Object.keys(item ?? {}))
        if (!OF_THE_ITEM.includes(attribute) && !(attribute in kept)) damaged(attribute, 'no such attribute');
      return faults;
    },
  };
}

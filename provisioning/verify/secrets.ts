import type * as z from 'zod';
import type { Ref } from '../../table/identifiers.ts';
import { nodeKey, secretKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { SECRET, secretItem, splitSecrets } from '../nodes/secrets.ts';
import { changeOf, type Fault, type Relation } from './relation.ts';

const OF_THE_ITEM = ['PK', 'SK', 'Type', 'updatedAt'];

/** Secrets stand in the item of their own and nowhere else. No finding says a value. */
export function secretRelation(ref: Ref, { entity }: NodeKind): Relation {
  const key = secretKey(ref);
  return {
    name: `secrets ${key.PK}`,
    keys: [nodeKey(ref), key],
    judge: ([node, item]) => {
      if (!node) {
        const repair: readonly Action[] = [{ kind: 'delete', key }];
        return item
          ? [
              {
                code: 'secret_left_over',
                key,
                expected: 'no secrets: there is no such node',
                effect: 'none',
                repair,
              },
            ]
          : [];
      }
      const faults: Fault[] = [];
      const { secrets: misplaced } = splitSecrets(entity, node);
      // What stands at its place is the later one.
      const { secrets: kept } = splitSecrets(entity, item ?? {});
      const whole = {
        ...item,
        ...secretItem(ref, { ...misplaced, ...kept }, String(item?.updatedAt ?? node.updatedAt)),
      };
      const put: Action = { kind: 'put', item: whole };
      for (const attribute of Object.keys(misplaced))
        faults.push({
          code: 'secret_misplaced',
          key: nodeKey(ref),
          attribute,
          expected: `at ${key.PK}`,
          effect: 'none',
          repair: [...changeOf(nodeKey(ref), { [attribute]: undefined }), put],
        });
      const damaged = (attribute: string, expected: string, repair?: readonly Action[]) =>
        faults.push({ code: 'secret_damaged', key, attribute, expected, effect: 'none', repair });
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

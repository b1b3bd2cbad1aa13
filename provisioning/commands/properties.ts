import { Attribute } from '../../table/decision/attributes.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { globalKey } from '../../table/keys.ts';
import type { Declaration } from '../../table/properties.ts';
import type { Action } from '../../table/write/action.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { changedDeclarations, declarationsIn, refuseDeclaration, sourceOf } from '../nodes/properties.ts';
import type { Attributes } from '../visible.ts';

/** Declarations of properties: data in the item of what holds everywhere (ADR 0022). */

const propertyBehaviour: Behaviour = {
  onCreate: async ({ reader }, _ref, { of: given, name: called, type: wanted, source: from }: Attributes) => {
    const [of, name, type] = [String(given), String(called), wanted as Declaration['type']];
    const source = sourceOf(of, from);
    const global = await reader.get(globalKey());
    refuseDeclaration(of, name, type, declarationsIn(global));
    const asRead: Action = {
      kind: 'update',
      key: globalKey(),
      // What was read of the other declarations holds until this one is written.
      when: {
        exists: global !== undefined,
        equals: { [Attribute.writeId]: global?.[Attribute.writeId] as string | undefined },
      },
      failure: changedDeclarations,
    };
    return { actions: [asRead], derived: { source } };
  },
};

export const PROPERTY: NodeKind = { entity: ENTITIES.property, behaviour: propertyBehaviour };

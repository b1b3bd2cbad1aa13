import { GatehouseError } from '../../table/errors.ts';
import { isType } from '../../table/identifiers.ts';
import { decisionKey, resourceTypeRef } from '../../table/keys.ts';
import { DEFAULT_RESOURCE_TYPE, parseResourceType, type ResourceType } from '../../table/resource-type.ts';
import type { ItemId, Kind } from '../items.ts';
import type { Look } from '../load.ts';

/** Resource types as items of decision inputs. */
const RESOURCE_TYPE: Kind<ResourceType> = {
  keyOf: (id) => {
    const type = id.slice(PREFIX.length);
    return isType(type) ? decisionKey(resourceTypeRef(type)) : undefined;
  },
  decode: (_, item) => {
    try {
      return parseResourceType(item);
    } catch (error) {
      // With the default mapping another permission would decide.
      throw new GatehouseError('damaged_item', 'a stored resource type cannot be read', { cause: error });
    }
  },
  absent: () => DEFAULT_RESOURCE_TYPE,
};
/** No other kind has ids of this form: nothing that decides has this type. */
const PREFIX = 'resource-type:';

/** How resources of a type are decided, as an item. */
export const resourceTypeItem = (type: string): ItemId<ResourceType> => ({
  kind: RESOURCE_TYPE,
  id: PREFIX + type,
});

/** How resources of a type are decided; undefined while that is not loaded. */
export const resourceTypeIn = (look: Look, type: string): ResourceType | undefined => {
  const found = look.item(RESOURCE_TYPE, PREFIX + type);
  return found === null ? DEFAULT_RESOURCE_TYPE : found;
};

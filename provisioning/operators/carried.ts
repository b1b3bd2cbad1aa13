import { entityOf } from '../../table/entities/registry.ts';
import {
  formatRef,
  parseRef,
  parseSubjectRef,
  REGISTERED_SUBJECT,
  type Ref,
} from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { distinctKeys, edgeKey, identityOf, type Key, nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { subject } from '../edges/rights.ts';
import { beyondTenant } from '../kinds/writing.ts';
import type { AuditEntry, Sent } from '../plan.ts';
import { visible } from '../visible.ts';
import { namedIn, tenantsOf } from './places.ts';

/** What a command is about, as its input says. */
function namedBy({ command, input }: Sent): Ref {
  const [entity = '', verb] = command.split('.');
  const { scope, user, type, id } = input;
  const isNew = verb === 'create';
  if (entity === 'scope')
    return isNew ? { type: String(type), id: String(id) } : parseRef(String(scope), 'scope');
  if (entity === REGISTERED_SUBJECT) return parseSubjectRef(isNew ? `${type}:${id}` : String(user), 'user');
  return { type: entity, id: String(id) };
}

/** A grant that is given other roles, or none: those that it has are not handed on, but may be taken. */
function grantOf({ command, input }: Sent): Key | undefined {
  const { user, scope } = input;
  if (
    (command !== 'grant.update' && command !== 'grant.delete') ||
    typeof user !== 'string' ||
    typeof scope !== 'string'
  )
    return undefined;
  return edgeKey(subject(user), parseRef(scope, 'scope'));
}

/**
 * What commands change in which tenant, as their inputs say: each in every tenant that it names, and, where it names
 * none, or what is not there, in what belongs to no tenant. What one of them makes, those after it may name.
 */
export async function carriedBy(reader: Reader, parts: readonly Sent[]): Promise<readonly AuditEntry[]> {
  const all = parts.map(({ command, input }) => namedIn(command, input));
  const asked = [...all.flat().map(({ key }) => key), ...parts.flatMap((part) => grantOf(part) ?? [])];
  const keys = distinctKeys(asked);
  const items = keys.length > 0 ? await reader.getMany(keys) : [];
  const known = new Map<string, Item | undefined>(
    keys.map((key, position) => [identityOf(key), items[position]]),
  );
  return parts.flatMap((part, position): readonly AuditEntry[] => {
    const { command, input } = part;
    const places = tenantsOf(all[position] ?? [], (key) => known.get(identityOf(key)));
    const tenants = [...new Set(places.map(({ tenant }) => (tenant ? formatRef(tenant) : '')))];
    const entity = namedBy(part);
    const isMade = command.endsWith('.create') && typeof input.id === 'string';
    const key = isMade ? nodeKey(entity) : undefined;
    if (key && !known.get(identityOf(key)))
      known.set(identityOf(key), { ...key, ...input, root: tenants[0] || formatRef(entity) });
    const of = entityOf(entity.type);
    const beyond = isMade && of ? { beyondTenant: beyondTenant(of, input) } : {};
    const grantKey = grantOf(part);
    const grant = grantKey && known.get(identityOf(grantKey));
    const stored = grant && visible(grant);
    const values = command.endsWith('.delete')
      ? { before: stored ?? input }
      : { after: input, ...(stored ? { before: stored } : {}) };
    return (tenants.length > 0 ? tenants : ['']).map((tenant) => ({
      command,
      entity,
      ...values,
      ...beyond,
      tenant: tenant === '' ? undefined : parseRef(tenant, 'tenant'),
    }));
  });
}

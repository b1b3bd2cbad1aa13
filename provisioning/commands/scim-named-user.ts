import type { Guard } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { type GatehouseError, invalid, stale } from '../../table/errors.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { type Key, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { guardKeyOf } from '../nodes/guards.ts';
import { asRead, loadRef, refuseDeleting, textOf } from '../nodes/nodes.ts';
import { connectionRef } from '../nodes/scim-links.ts';
import type { Node, Planning } from '../plan.ts';

/**
 * Whom a connection may name, and by what: emails of domains that its tenant has verified, and each `sub` of its issuer.
 * Every refusal of a person is the same, so that a connection does not learn who else there is.
 */
export interface Connection extends Node {
  /** A reference. */
  readonly root: string;
  readonly issuer: string | undefined;
}

/** By what people log in; null takes it away. */
export interface Login {
  readonly email?: string | null | undefined;
  readonly sub?: string | null | undefined;
}

const refused = (field: 'email' | 'sub'): GatehouseError =>
  invalid(field, `${field}: this connection may not name a user by it`);

/** Reads a connection. Throws `not_found` or `conflict` on `connection`. */
export async function loadConnection(planning: Planning, id: string): Promise<Connection> {
  const node = await loadRef(planning, connectionRef(id), 'connection');
  refuseDeleting(node, 'connection');
  const { issuer } = node.item;
  return { ...node, root: textOf(node.item, 'scope'), issuer: issuer as string | undefined };
}

/** Whether a connection owns a user: it made the user, whose home is its root. It owns no administrator. */
export const owns = ({ ref, root }: Connection, { source, tenant, isAdmin }: Item): boolean =>
  source === ref.id && tenant === root && isAdmin !== true;

const guardOf = (field: 'email' | 'sub'): Guard =>
  ENTITIES.user.guards.find((guard) => guard.field === field) as Guard;

/** The conditions under which a connection may state a login, and who has it. */
interface Named {
  readonly conditions: readonly Action[];
  /** The connection, and the domain of the email: what it rests on, whoever is named. */
  readonly nodes: readonly Node[];
  /** Reads who has it. Throws the refusal where that are two. */
  readonly owner: () => Promise<{
    readonly id: string | undefined;
    /** The conditions that nobody has what nobody had. */
    readonly unowned: readonly Action[];
  }>;
  readonly refusal: () => GatehouseError;
}

/**
 * Looks whether a connection may state a login.
 *
 * @throws GatehouseError the refusal
 */
export async function nameable({ reader }: Planning, of: Connection, login: Login): Promise<Named> {
  const email = login.email ?? undefined;
  const sub = login.sub ?? undefined;
  const { root, issuer } = of;
  if (sub !== undefined && issuer === undefined) throw refused('sub');
  const conditions: Action[] = [];
  const nodes: Node[] = [of];
  if (sub !== undefined) conditions.push(asRead(of, ['issuer']));
  if (email !== undefined) {
    const ref: Ref = { type: 'domain', id: email.slice(email.indexOf('@') + 1) };
    const item = await reader.get(nodeKey(ref));
    if (item?.tenant !== root || item.deletingSince !== undefined) throw refused('email');
    conditions.push(asRead({ ref, item }, ['tenant', 'deletingSince'], () => refused('email')));
    nodes.push({ ref, item });
  }
  const refusal = () => refused(email === undefined ? 'sub' : 'email');
  const keys = [guardKeyOf(guardOf('email'), { email }), guardKeyOf(guardOf('sub'), { issuer, sub })].filter(
    (key): key is Key => key !== undefined,
  );
  return {
    conditions,
    nodes,
    refusal,
    owner: async () => {
      const found = await reader.getMany(keys);
      const owners = new Set(found.flatMap((guard) => (guard ? [textOf(guard, 'owner')] : [])));
      if (owners.size > 1) throw refusal();
      const [owner] = owners;
      return {
        id: owner === undefined ? undefined : parseRef(owner, 'owner').id,
        unowned: keys.flatMap((key, position) => (found[position] ? [] : [unlessTaken(key)])),
      };
    },
  };
}

const unlessTaken = (key: Key): Action => ({
  kind: 'check',
  key,
  when: { exists: false },
  failure: () => stale('who has it', 'email'),
});

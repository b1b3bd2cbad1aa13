import * as z from 'zod';
import { formatApiToken, hashOfToken } from '../../table/api-token.ts';
import { defined } from '../../table/defined.ts';
import { DAY_MS } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { TOKEN_DAYS } from '../../table/entities/records.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict, invalid } from '../../table/errors.ts';
import { allOf } from '../../table/index-queries.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { writeCommand } from '../command.ts';
import { subject } from '../edges/rights.ts';
import { by, listCommand, ofTenant } from '../kinds/lists.ts';
import type { Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { planEnding } from '../kinds/writing.ts';
import { loadNode, loadRef, loadScope } from '../nodes/nodes.ts';
import type { Attributes } from '../visible.ts';

/**
 * Tokens: issued, looked up, revoked, gone after 30 days. Of an API token
 * the table holds a hash; its text is in the first answer to its creation and nowhere else.
 */
const tokenBehaviour: Behaviour = {
  onCreate: async (planning, ref, attributes) => {
    const holder = await loadRef(planning, subject(String(attributes.user)), 'user');
    const issuedAt = String(attributes.issuedAt ?? planning.now);
    const latest = new Date(Date.parse(issuedAt) + TOKEN_DAYS * DAY_MS).toISOString();
    const expiresAt = String(attributes.expiresAt ?? latest);
    if (expiresAt <= issuedAt || expiresAt > latest) {
      throw invalid('expiresAt', `expiresAt is not within ${TOKEN_DAYS} days after issuedAt`);
    }
    if (typeof attributes.tenant === 'string') await loadScope(planning, attributes.tenant, 'tenant');
    const derived = { issuedAt, expiresAt, revoked: false };
    if (attributes.tokenType !== 'api') return { derived };
    const text = formatApiToken(holder.ref, ref.id, planning.newSecret());
    return { derived: { ...derived, hash: await hashOfToken(text) }, shownOnce: { token: text } };
  },
};

const revoke = writeCommand({
  name: 'token.revoke',
  summary: 'Ends a token at once, for good.',
  input: z.strictObject({ id: field.id, revokedBy: field.id.optional() }),
  destructive: { undo: 'none: token.create issues another one' },
  plan: async (planning, { id, revokedBy }) => {
    const node = await loadNode(planning, 'token', id, 'id');
    if (node.item.revoked === true) throw conflict('id', 'this token was revoked before');
    const ending = { revoked: true, revokedAt: planning.now, ...defined({ revokedBy }) };
    return planEnding(planning, TOKEN, node, ending, { revoked: false });
  },
});

const isValid =
  (at: string) =>
  ({ revoked, expiresAt }: Attributes): boolean =>
    revoked === false && at < String(expiresAt);

const listTokens = listCommand({
  name: 'token.list',
  summary:
    'Lists tokens: of one user (with `at`, those that are valid at that instant), of one tenant by the time of their issue, or all, page by page.',
  by: [
    by(
      { user: field.subject },
      ({ user, at }) => ownedBy(subject(user), 'token', at === undefined ? undefined : isValid(at)),
      { optional: { at: field.instant } },
    ),
    ofTenant('token'),
  ],
  all: allOf('token'),
});

export const TOKEN: NodeKind = {
  entity: ENTITIES.token,
  behaviour: tokenBehaviour,
  commands: [revoke, listTokens],
};

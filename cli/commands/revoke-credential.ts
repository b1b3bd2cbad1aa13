import { isId } from '../../table/identifiers.ts';
import { UsageError } from '../context.ts';
import type { Editing } from '../provisioning.ts';
import { type Revoked, revocation, secondsOption } from '../revocation/subcommand.ts';

const JWT_LIFE = secondsOption(
  '--jwt-life',
  "the rest of the JWT's life, where the authorizer's REVOCATION is not set",
);

function assertId(id: string, hint = ''): void {
  if (!isId(id)) throw new UsageError(`ID ${id} is neither a ULID nor a UUID${hint}`);
}

/** `gatehouse revoke-session`: ends a login session. */
export const addRevokeSession = revocation({
  name: 'revoke-session',
  summary: 'end a login session',
  description: 'Revokes a login session',
  argument: ['<id>', 'the id of the session: the claim that REVOCATION names'],
  options: [JWT_LIFE],
  examples: '  gatehouse revoke-session 01M7YAMYCAWSND2TZ7F47P6DYF',
  revoke: async ({ send, write }: Editing, id: string): Promise<Revoked> => {
    assertId(id);
    const { status } = await send('session.read', { id });
    const token = await write('session.update', { id, status: 'revoked' });
    const before = status !== 'active';
    const text = `session:${id} is revoked${before ? ` (it was ${status})` : ''}`;
    return { revoked: `session:${id}`, before, text, token };
  },
});

/** `gatehouse revoke-token`: ends an API token, or a JWT by its id. */
export const addRevokeToken = revocation({
  name: 'revoke-token',
  summary: 'end an API token, or a JWT by its id',
  description: 'Revokes a token',
  argument: ['<id>', 'the id of the token'],
  options: [JWT_LIFE],
  examples: '  gatehouse revoke-token 01M7YAMYCAWSND2TZ7F47P6DYF',
  revoke: async ({ send, write }: Editing, id: string): Promise<Revoked> => {
    assertId(id, ': give the id, not the token itself');
    const before = (await send('token.read', { id })).revoked === true;
    const token = before ? undefined : await write('token.revoke', { id });
    const text = `token:${id} ${before ? 'was revoked before' : 'is revoked'}`;
    return { revoked: `token:${id}`, before, text, token };
  },
});

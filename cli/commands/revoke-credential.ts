import { isId, isRef } from '../../table/identifiers.ts';
import { UsageError } from '../context.ts';
import { knownAs } from '../known-as.ts';
import { plain } from '../print.ts';
import { RefusedError, type Sender } from '../provisioning.ts';
import { type Revoked, revocation, seconds } from '../revocation/subcommand.ts';

const OPTIONS = {
  jwtLife: seconds('how long the JWT stays valid, if REVOCATION of the authorizer is not set'),
};

/** An API token itself, which has the form of an id. */
const API_TOKEN = /^gh1_/i;

/** Names the credential in no message: it may be given in place of its id. */
const notFound = (what: string): UsageError =>
  new UsageError(`there is no ${what} with this id: give the id, not the credential itself`);

/**
 * Reads a session or token by its id: as it stands, and how people know it, with whose it is, as
 * `session:ID of Lou Park <lou@mercy.example> (user:ID)`. Throws {@link UsageError}.
 */
async function readCredential({ send, deliver }: Sender, what: 'session' | 'token', id: string) {
  if (!isId(id) || API_TOKEN.test(id)) throw notFound(what);
  const found = await send(`${what}.read`, { id }).catch((error: unknown) => {
    throw error instanceof RefusedError && error.isOfInput ? notFound(what) : error;
  });
  const user = String(found.user);
  const owner = { ref: isRef(user) ? user : `user:${user}`, kind: 'subject' as const };
  const known = await knownAs(deliver, [owner]);
  return { found, label: plain(`${what}:${id} of ${known(owner)}`) };
}

/** `gatehouse revoke-session`: ends a login session. */
export const addRevokeSession = revocation({
  name: 'revoke-session',
  summary: 'end a login session',
  description: 'Revokes a login session',
  argument: ['<id>', 'the id of the session: the value of the claim that REVOCATION of the authorizer names'],
  options: OPTIONS,
  examples: '  gatehouse revoke-session 01M7YAMYCAWSND2TZ7F47P6DYF',
  revoke: async (editing, id, _options, agreed): Promise<Revoked> => {
    const { found, label } = await readCredential(editing, 'session', id);
    const { status } = found;
    const input = { id, status: 'revoked' };
    await agreed(`this ends ${label}`, { command: 'session.update', input });
    const token = await editing.write('session.update', input);
    const before = status !== 'active';
    const text = `${label} is revoked${before ? ` (it was ${status})` : ''}`;
    return { revoked: `session:${id}`, before, text, token };
  },
});

/** `gatehouse revoke-token`: ends an API token, or a JWT by its id. */
export const addRevokeToken = revocation({
  name: 'revoke-token',
  summary: 'revoke an API token, or a JWT by its id',
  description: 'Revokes a token',
  argument: ['<id>', 'the id of the token'],
  options: OPTIONS,
  examples: '  gatehouse revoke-token 01M7YAMYCAWSND2TZ7F47P6DYF',
  revoke: async (editing, id, _options, agreed): Promise<Revoked> => {
    const { found, label } = await readCredential(editing, 'token', id);
    const before = found.revoked === true;
    if (!before) await agreed(`this ends ${label}`, { command: 'token.revoke', input: { id } });
    const token = before ? undefined : await editing.write('token.revoke', { id });
    const text = `${label} ${before ? 'was revoked before' : 'is revoked'}`;
    return { revoked: `token:${id}`, before, text, token };
  },
});

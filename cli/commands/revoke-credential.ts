import { isId } from '../../table/identifiers.ts';
import { connectForWriting, type Editing } from '../provisioning.ts';
import { type RevokeOptions, timesOf, withRevokeOptions } from '../revocation/options.ts';
import { type Done, report } from '../revocation/report.ts';
import type { Subcommand } from '../subcommand.ts';
import { FINE, UsageError } from '../surroundings.ts';

/** What somebody comes with, and how it is ended. */
interface CredentialKind {
  readonly type: 'session' | 'token';
  /** In words, for the help. */
  readonly what: string;
  readonly id: string;
  /** What to say besides of an id that is none. */
  readonly hint: string;
  readonly end: (editing: Editing, id: string) => Promise<Ended>;
}

interface Ended extends Pick<Done, 'before' | 'token'> {
  /** What is said of it, after its name. */
  readonly said: string;
}

const SESSION: CredentialKind = {
  type: 'session',
  what: 'a login session',
  id: 'the id of the session: the claim that REVOCATION names',
  hint: '',
  end: async (editing, id) => {
    const { status } = await editing.send('session.read', { id });
    const token = await editing.write('session.update', { id, status: 'revoked' });
    const before = status !== 'active';
    return { before, token, said: `is revoked${before ? ` (it was ${status})` : ''}` };
  },
};

/** An API token, or a JWT by its id. */
const TOKEN: CredentialKind = {
  type: 'token',
  what: 'a token',
  id: 'the id of the token',
  hint: ': the id, not the token itself',
  end: async (editing, id) => {
    const { revoked } = await editing.send('token.read', { id });
    const before = revoked === true;
    const token = before ? '' : await editing.write('token.revoke', { id });
    return { before, token, said: before ? 'was revoked before' : 'is revoked' };
  },
};

const revoking =
  ({ type, what, id: about, hint, end }: CredentialKind): Subcommand =>
  (program, around, finish) => {
    const name = `revoke-${type}`;
    const command = program
      .command(name)
      .summary(`end ${what}, at once`)
      .description(`Revokes ${what} in one transaction, and says how long caches may still say yes.`)
      .argument('<id>', about)
      .option(
        '--jwt-life <seconds>',
        "what is left of the JWT's life, where the authorizer's REVOCATION is not set",
      );
    withRevokeOptions(command, `  gatehouse ${name} 01M7YAMYCAWSND2TZ7F47P6DYF`).action(
      async (id: string, options: RevokeOptions) => {
        if (!isId(id)) throw new UsageError(`ID ${id} is neither a ULID nor a UUID${hint}`);
        const times = timesOf(options, around.env);
        const { said, before, token } = await end(connectForWriting(options, around), id);
        const revoked = `${type}:${id}`;
        const done = { revoked, before, text: `${revoked} ${said}`, token };
        around.out(report(done, times, around.now(), options.json === true));
        finish(FINE);
      },
    );
  };

/** `gatehouse revoke-session`: ends a login session. */
export const addRevokeSession = revoking(SESSION);

/** `gatehouse revoke-token`: ends an API token, or a JWT by its id. */
export const addRevokeToken = revoking(TOKEN);

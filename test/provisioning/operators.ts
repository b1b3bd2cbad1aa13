import { createReadCredentials } from '../../authorizer/credentials/credentials.ts';
import { createIdentify } from '../../authorizer/credentials/identity.ts';
import { CredentialsError } from '../../authorizer/errors.ts';
import { createIds } from '../../provisioning/ids.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { createOperators } from '../../provisioning/operators/rights.ts';
import { createLogged } from '../support/log.ts';
import type { createWorld } from '../support/world.ts';
import type { Input } from './support.ts';

type World = Pick<
  Awaited<ReturnType<typeof createWorld>>,
  'reader' | 'writer' | 'clock' | 'newSecret' | 'run' | 'apply'
>;

/** The tenant in which the rights for what belongs to no tenant are granted. */
const OPERATIONS = 'tenant:operations';

/**
 * Provisioning where operators show API tokens, in a world with two tenants: `acme`, whose operator is `ann`, and
 * `globex`, whose operator is `gus`. `olga` has every right in the operations scope, `zoe` there and in `acme`, `pam`
 * is an administrator of the platform, and `nobody` has none.
 */
export async function createOperatorsWorld(world: World, approvalFor: readonly string[] = []) {
  return operatorsOn(world, { tokens: await furnish(world), registered: new Set() }, approvalFor);
}

const MANIFEST = `
scopes:
  Operations: { id: operations, type: tenant }
  Acme: { id: acme, type: tenant }
  Globex: { id: globex, type: tenant }
roles: { operator: { id: operator, allow: ["provisioning:*:*"] } }
users:
  ann: { id: ann, grants: { Acme: [operator] } }
  gus: { id: gus, grants: { Globex: [operator] } }
  olga: { id: olga, grants: { Operations: [operator] } }
  zoe: { id: zoe, grants: { Acme: [operator], Operations: [operator] } }
  pam: { id: pam, admin: true }
  nobody: { id: nobody }
  bob: { id: bob }
`;

async function furnish({ run, apply }: World): Promise<Known['tokens']> {
  await apply(MANIFEST);
  const tokens: Record<string, { readonly id: string; readonly text: string }> = {};
  for (const user of ['ann', 'gus', 'olga', 'pam', 'nobody', 'zoe']) {
    const { id, token } = await run('token.create', { user, tokenType: 'api' });
    tokens[user] = { id, text: String(token) };
  }
  return tokens;
}

/** What a table with operators has, beside its items. */
interface Known {
  readonly tokens: Readonly<Record<string, { readonly id: string; readonly text: string }>>;
  /** Commands whose permissions are registered. */
  readonly registered: ReadonlySet<string>;
}

/** The same over a copy of the table of such a world. */
export function operatorsOn(world: World, known: Known, approvalFor: readonly string[] = []) {
  const { reader, writer, clock, newSecret, run } = world;
  const [tokens, registered] = [{ ...known.tokens }, new Set(known.registered)];
  const { log, lines } = createLogged('provisioning');
  const operators = createOperators({
    reader,
    clock,
    operationsScope: OPERATIONS,
    tokens: {
      identify: createIdentify({
        readCredentials: createReadCredentials(),
        authenticate: () => Promise.reject(new CredentialsError('token_malformed')),
        revocation: undefined,
        actorOf: undefined,
      }),
      subjectOf: () => null,
    },
  });
  const provision = createProvisioning({
    reader,
    writer,
    clock,
    newSecret,
    newId: createIds(),
    sleep: clock.wait,
    log,
    operatorRules: { operators, approvalFor },
  });

  /** Registers the permissions of commands: what is not registered is nobody's. */
  const register = async (...commands: readonly string[]) => {
    for (const name of commands.filter((each) => !registered.has(each))) {
      registered.add(name);
      const [entity, verb] = name.split('.');
      await run('permission.create', { name: `provisioning:${verb}:${entity}` });
    }
  };

  /** Sends a command as an operator. */
  const as = (operator: string, command: string, input: Input, more: Input = {}) =>
    provision({ command, input, token: tokens[operator]?.text, ...more });

  /** The code of the error, with the field; `ok` without one. */
  const outcome = async (operator: string, command: string, input: Input, more: Input = {}) => {
    const answer = await as(operator, command, input, more);
    if (answer.ok) return 'ok';
    const { code, field } = answer.error;
    return field === undefined ? code : `${code} ${field}`;
  };

  return { ...world, provision, operators, as, outcome, register, registered, tokens, lines };
}

export type OperatorsWorld = ReturnType<typeof operatorsOn>;

import { scopeName } from '../../provisioning/apply/scope-commands.ts';
import { describeCommand } from '../../provisioning/documents/commands.ts';
import { parseRef } from '../../table/identifiers.ts';
import { UsageError } from '../context.ts';
import { fieldsOf } from '../input.ts';
import { referenceOf } from '../references.ts';
import { revocation } from '../revocation/subcommand.ts';

/** The command and the status that close a root of this type: `suspended` where it exists, else `inactive`. */
function closingOf(type: string): { readonly command: string; readonly status: string } | undefined {
  const command = describeCommand(`${type}.update`) === undefined ? 'scope.update' : `${type}.update`;
  const described = describeCommand(command);
  const property = described && fieldsOf(described).find(({ name }) => name === 'status')?.property;
  const words = property?.enum ?? property?.anyOf?.flatMap((each) => each.enum ?? []) ?? [];
  const status = ['suspended', 'inactive'].find((word) => words.includes(word));
  return status === undefined ? undefined : { command, status };
}

/** `gatehouse suspend-tenant`: closes a root scope and all scopes below it. */
export const addSuspendTenant = revocation({
  name: 'suspend-tenant',
  summary: 'suspend a tenant and all scopes below it',
  description: 'Suspends a tenant (a root scope of any type) and all scopes below it',
  argument: ['<tenant>', 'a root scope, by its name or TYPE:ID such as tenant:ID'],
  examples: '  gatehouse suspend-tenant Northwind --yes --actor billing',
  revoke: async ({ send, write, names }, typed, _options, agreed) => {
    const tenant = await referenceOf(names, { label: 'TENANT', kind: 'scope' }, typed);
    const { type, id } = parseRef(tenant, 'tenant');
    const closing = closingOf(type);
    if (!closing) throw new UsageError(`TENANT ${tenant}: a ${type} cannot be suspended`);
    const { command, status } = closing;
    const input = scopeName(type, id);
    const named = Object.entries(input).map(([name, value]) => `${name}=${value}`);
    const found = await send(command.replace(/update$/, 'read'), input);
    if (found.root !== tenant)
      throw new UsageError(
        `${tenant} is no tenant: its root is ${found.root}. To close only what is below it: gatehouse command ${command} ${named} status=${status}`,
      );
    const sent = { command, input: { ...input, status } };
    await agreed(`this suspends ${tenant}, with all scopes below it`, sent);
    const token = await write(sent.command, sent.input);
    const before = found.status !== 'active';
    const text = `${tenant} is ${status}, with all scopes below it${before ? ` (it was ${found.status})` : ''}`;
    return { revoked: tenant, kind: 'scope' as const, before, text, token };
  },
});

import { commandsOn } from '../../provisioning/index.ts';
import { UsageError } from '../context.ts';
import { referenceOf } from '../references.ts';
import { revocation } from '../revocation/subcommand.ts';

/** `gatehouse suspend-tenant`: closes a root scope and all scopes below it. */
export const addSuspendTenant = revocation({
  name: 'suspend-tenant',
  summary: 'suspend a tenant and all scopes below it',
  description: 'Suspends a tenant (a root scope of any type) and all scopes below it',
  argument: ['<tenant>', 'a root scope, by its name or TYPE:ID such as tenant:ID'],
  examples: '  gatehouse suspend-tenant Northwind --yes --actor billing',
  revoke: async ({ send, write, names }, typed, _options, agreed) => {
    const tenant = await referenceOf(names, { label: 'TENANT', kind: 'scope' }, typed);
    const { read, close: sent } = commandsOn(tenant, 'scope');
    const found = await send(read.command, read.input);
    if (found.root !== tenant) {
      const fields = Object.entries(sent.input).map(([name, value]) => `${name}=${value}`);
      throw new UsageError(
        `${tenant} is no tenant: its root is ${found.root}. To close only what is below it: gatehouse command ${sent.command} ${fields.join(' ')}`,
      );
    }
    await agreed(`this suspends ${tenant}, with all scopes below it`, sent);
    const token = await write(sent.command, sent.input);
    const before = found.status !== 'active';
    const text = `${tenant} is ${sent.input.status}, with all scopes below it${before ? ` (it was ${found.status})` : ''}`;
    return { revoked: tenant, kind: 'scope' as const, before, text, token };
  },
});

import { isRef, parseRef } from '../../table/identifiers.ts';
import { fieldsOf, findCommand } from '../input.ts';
import { connectForWriting } from '../provisioning.ts';
import { type RevokeOptions, timesOf, withRevokeOptions } from '../revocation/options.ts';
import { report } from '../revocation/report.ts';
import type { Subcommand } from '../subcommand.ts';
import { FINE, UsageError } from '../surroundings.ts';

/** The word by which a root of this type is closed: `suspended` where it can be, else `inactive`. */
function closedStatus(type: string): { readonly command: string; readonly status: string } | undefined {
  const command = findCommand(`${type}.update`) === undefined ? 'scope.update' : `${type}.update`;
  const described = findCommand(command);
  const property = described && fieldsOf(described).find(({ name }) => name === 'status')?.property;
  const words = property?.enum ?? property?.anyOf?.flatMap((each) => each.enum ?? []) ?? [];
  const status = ['suspended', 'inactive'].find((word) => words.includes(word));
  return status === undefined ? undefined : { command, status };
}

/** `gatehouse suspend-tenant`: closes a root scope and all below it. */
export const addSuspendTenant: Subcommand = (program, around, finish) => {
  const command = program
    .command('suspend-tenant')
    .summary('close a tenant with all below it, at once')
    .description('Suspends a root scope in one transaction, and says how long caches may still say yes.')
    .argument('<tenant>', 'type:ID, as tenant:ID or client:ID');
  withRevokeOptions(
    command,
    '  gatehouse suspend-tenant tenant:01M7YAMY51QT61RYW2RQE37W98 --actor billing',
  ).action(async (text: string, options: RevokeOptions) => {
    if (!isRef(text)) throw new UsageError(`TENANT ${text} is not type:ID, as tenant:ID (a ULID or UUID)`);
    const { type, id } = parseRef(text, 'tenant');
    const closed = closedStatus(type);
    if (!closed) throw new UsageError(`TENANT ${text}: a ${type} cannot be suspended`);
    const times = timesOf(options, around.env);
    const editing = connectForWriting(options, around);
    const name = closed.command === 'scope.update' ? { type, id } : { id };
    const found = await editing.send(closed.command.replace(/update$/, 'read'), name);
    if (found.root !== text)
      throw new UsageError(
        `${text} is no tenant: it stands in ${found.root}. gatehouse command ${closed.command} id=${id} status=${closed.status} closes only what is below it`,
      );
    const token = await editing.write(closed.command, { ...name, status: closed.status });
    const before = found.status !== 'active';
    const said = `${text} is ${closed.status}, and closed with all below it${before ? ` (it was ${found.status})` : ''}`;
    const done = { revoked: text, before, text: said, token };
    around.out(report(done, times, around.now(), options.json === true));
    finish(FINE);
  });
};

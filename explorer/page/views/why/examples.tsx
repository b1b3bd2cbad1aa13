import type { NamedRef } from '../../../service/index.ts';
import { useLoaded } from '../../calls.ts';
import { type Client, useClient } from '../../client.ts';
import { firstPage, type Item, namedIn } from '../../load-page.ts';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';

/** A question that the table has an interesting answer to. */
interface Example {
  readonly subject: NamedRef;
  readonly permission: string;
  readonly scope: string;
}

const MOST = 3;

/** A few questions about the first people of the table, where they have grants. */
export function Examples() {
  const client = useClient();
  const { value: examples = [] } = useLoaded('examples', () => examplesOf(client));
  if (examples.length === 0) return null;
  return (
    <>
      <p>For example:</p>
      <ul class="why-examples">
        {examples.map(({ subject, permission, scope }) => (
          <li key={`${subject.ref} ${permission}`}>
            <Link to="why" ask={{ subject: subject.ref, permission, scope }}>
              May <Named of={subject} /> use <bdi class="name">{permission}</bdi> at <Named of={scope} />?
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The first items of a list; none where it cannot be read, for it is only a help. */
async function listed({ send }: Client, command: string, input: Item): Promise<readonly Item[]> {
  const reply = await firstPage(send, command, { ...input, limit: MOST });
  return reply.ok ? reply.result.items : [];
}

async function examplesOf(client: Client): Promise<readonly Example[]> {
  const [users, pages, permissions] = await Promise.all([
    listed(client, 'user.list', {}),
    listed(client, 'page.list', {}),
    listed(client, 'permission.list', {}),
  ]);
  const asked = [...pages, ...permissions].map(({ name }) => String(name));
  const granted = await Promise.all(users.map(({ id }) => listed(client, 'user.access', { id })));
  const scopes = granted.map((access) =>
    access.map(({ scope }) => scope).find((ref) => typeof ref === 'string'),
  );
  return users.flatMap((user, position): readonly Example[] => {
    const [scope, permission] = [scopes[position], asked[position % asked.length]];
    if (typeof scope !== 'string' || permission === undefined) return [];
    return [{ subject: namedIn('user', user), permission, scope }];
  });
}

import type { Explanation } from '../../../../engine/index.ts';
import { Link } from '../../parts/link.tsx';
import { typeOf } from '../../refs.ts';

const OPEN = ['active', 'not looked at'];

/** The path of scopes, from the tenant down to the one asked about: grants flow down it, and so does a closure. */
export function Places({ path, combination, allowedBy, deniedBy }: Explanation) {
  const deciding = allowedBy.items[0] ?? deniedBy.items[0];
  const grantedAt = deciding && 'scope' in deciding.from ? deciding.from.scope.ref : undefined;
  return (
    <ol class="plain why-places" aria-label="The path of scopes, from the tenant down">
      {[...path].reverse().map(({ ref, name, status }, position) => (
        <li key={ref} class={OPEN.includes(status) ? 'open' : 'closed'}>
          <Link to="map" ask={{ scope: ref }} title={`${ref}\nShow it on the map`}>
            <span class="kind">{typeOf(ref) || 'scope'}</span>
            <bdi class="called">{name}</bdi>
            <span class="status">
              <span aria-hidden="true">{status === 'active' ? '✓' : OPEN.includes(status) ? '·' : '✕'}</span>{' '}
              {status}
              {grantedAt === ref && ', granted here'}
              {position === 0 && combination === 'deny-overrides' && ', a DENY refuses'}
            </span>
          </Link>
        </li>
      ))}
    </ol>
  );
}

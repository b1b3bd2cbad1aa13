import { guardKey, type Key } from '../../table/keys.ts';
import { fieldsOf, isNullable } from './kinds.ts';
import type { Input } from './support.ts';

/** Every value that must be unique, with spellings that are one value. */
export interface Guarded {
  readonly type: string;
  readonly field: string;
  /** What else a creation needs. */
  readonly base: Input;
  readonly value: string;
  /** The same value, written otherwise. */
  readonly alike: readonly string[];
  readonly other: string;
  /** Where the guard of `value`, and that of `other`, stands. */
  readonly guards: readonly [Key, Key];
  /** Whether the value can change, and whether it can be cleared. */
  readonly changes: boolean;
  readonly clears: boolean;
}

/** A value and another one, as they are written and as their guards have them. */
type Values = readonly [value: string, alike: readonly string[], other: string];
type Guards = readonly [kind: Parameters<typeof guardKey>[0], value: string, other: string, within?: string];

function guarded(of: string, [value, alike, other]: Values, guards: Guards, base: Input = {}): Guarded {
  const [type = '', field = ''] = of.split('.');
  const [kind, first, second, within] = guards;
  const update = fieldsOf(`${type}.update`)[field];
  return {
    type,
    field,
    base,
    value,
    alike,
    other,
    guards: [guardKey(kind, first, within), guardKey(kind, second, within)],
    changes: update !== undefined,
    clears: update !== undefined && isNullable(update),
  };
}

const route = { method: 'GET', permission: 'dashboard', scope: 'location:{header:x-location}' };
const NORTH = { name: 'North' };
const [ANN, BEA] = ['ann@example.com', 'bea@example.com'];

export const GUARDED: readonly Guarded[] = [
  guarded('user.email', [ANN, ['ANN@example.COM', '  ann@example.com '], BEA], ['EMAIL', ANN, BEA]),
  guarded(
    'user.phone',
    ['+4930123456', ['+49 30 123456', '+49 (30) 123-456', '+49.30.12.34.56'], '+4930123457'],
    ['PHONE', '+4930123456', '+4930123457'],
  ),
  guarded('user.username', ['ann.a', ['Ann.A', ' ANN.A '], 'bea'], ['USERNAME', 'ann.a', 'bea']),
  guarded(
    'tenant.name',
    ['Acme Corp', ['acme corp', '  ACME   Corp ', '\uff21cme Corp', 'Acme\u00a0Corp'], 'Zenith'],
    ['TENANT_NAME', 'acme corp', 'zenith'],
  ),
  guarded('location.code', ['NYC1', ['nyc1', ' Nyc1 '], 'LAX1'], ['LOCATION_CODE', 'NYC1', 'LAX1'], NORTH),
  guarded(
    'role.name',
    ['Office Clerk', ['office  clerk', 'OFFICE CLERK', 'O\ufb03ce Clerk'], 'Auditor'],
    ['ROLE_NAME', 'office clerk', 'auditor', 'global'],
    { scope: 'global' },
  ),
  guarded(
    'route.path',
    ['/users/{user}/files/{rest+}', ['/users/{id}/files/{path+}'], '/users/{user}'],
    ['API_ROUTE', '/users/{}/files/{+}', '/users/{}', 'default GET'],
    route,
  ),
];

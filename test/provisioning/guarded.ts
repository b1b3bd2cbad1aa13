import { guardKey, type Key } from '../../table/keys.ts';
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

const route = {
  method: 'GET',
  permission: 'dashboard',
  scope: 'location:{header:x-location}',
};

export const GUARDED: readonly Guarded[] = [
  {
    type: 'user',
    field: 'email',
    base: {},
    value: 'ann@example.com',
    alike: ['ANN@example.COM', '  ann@example.com '],
    other: 'bea@example.com',
    guards: [guardKey('EMAIL', 'ann@example.com'), guardKey('EMAIL', 'bea@example.com')],
    changes: true,
    clears: true,
  },
  {
    type: 'user',
    field: 'phone',
    base: {},
    value: '+4930123456',
    alike: ['+49 30 123456', '+49 (30) 123-456', '+49.30.12.34.56'],
    other: '+4930123457',
    guards: [guardKey('PHONE', '+4930123456'), guardKey('PHONE', '+4930123457')],
    changes: true,
    clears: true,
  },
  {
    type: 'user',
    field: 'username',
    base: {},
    value: 'ann.arbor',
    alike: ['Ann.Arbor', ' ANN.ARBOR '],
    other: 'bea',
    guards: [guardKey('USERNAME', 'ann.arbor'), guardKey('USERNAME', 'bea')],
    changes: true,
    clears: true,
  },
  {
    type: 'tenant',
    field: 'name',
    base: {},
    value: 'Acme Corp',
    alike: ['acme corp', '  ACME   Corp ', '\uff21cme Corp', 'Acme\u00a0Corp'],
    other: 'Zenith',
    guards: [guardKey('TENANT_NAME', 'acme corp'), guardKey('TENANT_NAME', 'zenith')],
    changes: true,
    clears: false,
  },
  {
    type: 'location',
    field: 'code',
    base: { name: 'North' },
    value: 'NYC001',
    alike: ['nyc001', ' Nyc001 '],
    other: 'LAX001',
    guards: [guardKey('LOCATION_CODE', 'NYC001'), guardKey('LOCATION_CODE', 'LAX001')],
    changes: true,
    clears: true,
  },
  {
    type: 'role',
    field: 'name',
    base: { scope: 'global' },
    value: 'Office Clerk',
    alike: ['office  clerk', 'OFFICE CLERK', 'O\ufb03ce Clerk'],
    other: 'Auditor',
    guards: [guardKey('ROLE_NAME', 'office clerk', 'global'), guardKey('ROLE_NAME', 'auditor', 'global')],
    changes: true,
    clears: false,
  },
  {
    type: 'route',
    field: 'path',
    base: route,
    value: '/users/{user}/files/{rest+}',
    alike: ['/users/{id}/files/{path+}'],
    other: '/users/{user}',
    guards: [
      guardKey('API_ROUTE', '/users/{}/files/{+}', 'default GET'),
      guardKey('API_ROUTE', '/users/{}', 'default GET'),
    ],
    changes: false,
    clears: false,
  },
];

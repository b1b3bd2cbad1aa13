import { guardKey, nodeKey } from '../keys.ts';
import { normaliseCode, normaliseName } from '../normalise.ts';
import { pattern, refOf } from './pattern.ts';
import { itemAt, nodeByGuard } from './reads.ts';

export const location = pattern(
  {
    name: 'location',
    title: 'a location by id',
    reads: [{ operation: 'GetItem' }],
    rows: ['RB-03'],
  },
  (reader, input: { readonly location: string }) =>
    itemAt(reader, nodeKey(refOf('location', input.location, 'location'))),
);

export const locationByCode = pattern(
  {
    name: 'location-by-code',
    title: 'a location by its code',
    reads: [{ operation: 'GetItem' }, { operation: 'GetItem' }],
    rows: ['RB-04'],
  },
  (reader, { code }: { readonly code: string }) =>
    nodeByGuard(reader, guardKey('LOCATION_CODE', normaliseCode(code, 'code'))),
);

export const tenant = pattern(
  {
    name: 'tenant',
    title: 'a tenant by id',
    reads: [{ operation: 'GetItem' }],
    rows: ['AZ-01', 'AZ-14'],
  },
  (reader, input: { readonly tenant: string }) =>
    itemAt(reader, nodeKey(refOf('tenant', input.tenant, 'tenant'))),
);

export const tenantByName = pattern(
  {
    name: 'tenant-by-name',
    title: 'a tenant by its name',
    reads: [{ operation: 'GetItem' }, { operation: 'GetItem' }],
    rows: ['AZ-02', 'AZ-14'],
  },
  (reader, { name }: { readonly name: string }) =>
    nodeByGuard(reader, guardKey('TENANT_NAME', normaliseName(name, 'name'))),
);

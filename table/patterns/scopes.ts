import { guardKey } from '../keys.ts';
import { normaliseCode, normaliseName } from '../normalise.ts';
import { pattern } from './pattern.ts';
import { nodeByGuard } from './reads.ts';
import { byId } from './shapes.ts';

export const location = byId('location', {
  name: 'location',
  title: 'a location by id',
  rows: ['RB-03'],
});

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

export const tenant = byId('tenant', {
  name: 'tenant',
  title: 'a tenant by id',
  rows: ['AZ-01', 'AZ-14'],
});

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

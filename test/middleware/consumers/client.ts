import { createPermissions } from 'gatehouse-authz/client';

const permissions = createPermissions<'grades' | 'payroll'>({
  url: '/permissions',
  headers: async () => ({ authorization: 'Bearer …' }),
});
await permissions.load('location:north');
const allowed: boolean = permissions.can('grades') && (await permissions.ask('payroll', { id: 'r1' }));
permissions.subscribe(() => allowed)();
createPermissions({ url: '/permissions', fetch: globalThis.fetch }).can('any');
// @ts-expect-error: not one of the permissions
permissions.can('doors');

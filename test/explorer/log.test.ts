import { describe, expect, test } from 'vitest';
import { inputOf, missing, type Values } from '../../explorer/page/commands/form.ts';
import {
  actorRef,
  changesOf,
  detailsOf,
  entityOf,
  kept,
  linkedTo,
  partsOf,
} from '../../explorer/page/views/log/records.ts';
import { fieldsOfLog, type LogName } from '../../explorer/page/views/log/source.ts';
import { formsOf } from '../../explorer/service/form.ts';

const SUSPENDED = {
  id: '1',
  action: 'tenant.update',
  entityType: 'tenant',
  entityId: 't',
  timestamp: '2026-03-01T00:00:00.000Z',
  actor: 'user:ann',
  operationId: 'o',
  severity: 'info',
  before: { id: 't', status: 'active', name: 'Nord', ancestors: [], updatedAt: '1', tags: { a: 1 } },
  after: { id: 't', status: 'suspended', name: 'Nord', ancestors: [], updatedAt: '2', code: 'X' },
};
const LEFT = {
  id: '2',
  action: 'membership.delete',
  entityType: 'membership',
  entityId: 'ben g',
  before: { user: 'ben', group: 'g', scope: 'tenant:t', joinedAt: '1' },
};

describe('a record', () => {
  test('differs in fields that were added, removed and changed; bookkeeping is left out', () => {
    expect(changesOf(SUSPENDED)).toEqual([
      { name: 'status', kind: 'changed', before: 'active', after: 'suspended' },
      { name: 'tags', kind: 'removed', before: '{"a":1}', after: undefined },
      { name: 'code', kind: 'added', before: undefined, after: 'X' },
    ]);
    expect(changesOf(LEFT).map(({ kind }) => kind)).toEqual(['removed', 'removed', 'removed', 'removed']);
    expect(changesOf({ id: '3' })).toEqual([]);
  });

  test('has fields with names of objects', () => {
    expect(changesOf({ after: JSON.parse('{"__proto__": "x", "constructor": "y"}') })).toEqual([
      { name: '__proto__', kind: 'added', before: undefined, after: 'x' },
      { name: 'constructor', kind: 'added', before: undefined, after: 'y' },
    ]);
  });

  test('has details beside', () => {
    expect(detailsOf(SUSPENDED)).toEqual([
      ['operationId', 'o'],
      ['severity', 'info'],
    ]);
  });

  test('calls its entity by its name, an edge by its ends', () => {
    expect(partsOf(SUSPENDED)).toEqual([{ text: 'Nord' }]);
    expect(partsOf(LEFT)).toEqual([{ ref: 'user:ben' }, { ref: 'group:g' }]);
    const login = { id: '3', action: 'login', entityType: 'user', entityId: 'ben' };
    expect(partsOf(login)).toEqual([{ ref: 'user:ben' }]);
    expect(entityOf(LEFT)).toBe('membership:ben g');
  });

  test('has an actor who may be a subject', () => {
    expect(actorRef({ actor: 'pipeline' })).toBeUndefined();
    expect(actorRef({ actor: 'technical-user:x' })).toBe('technical-user:x');
    expect(actorRef({ actor: 'a1', userId: 'a1' })).toBe('user:a1');
    expect(actorRef({})).toBeUndefined();
  });

  test('leads to the map or to Why', () => {
    expect(linkedTo(SUSPENDED)).toEqual({ to: 'map', state: { scope: 'tenant:t' } });
    expect(linkedTo(LEFT)).toEqual({ to: 'why', state: { subject: 'user:ben', scope: 'tenant:t' } });
    const page = { action: 'page.create', entityType: 'page', entityId: 'grades', after: { name: 'grades' } };
    expect(linkedTo(page)).toEqual({ to: 'why', state: { permission: 'grades' } });
    const role = { action: 'role.create', entityType: 'role', entityId: 'r', after: { scope: 'global' } };
    expect(linkedTo(role)).toBeUndefined();
  });
});

test('records are kept by parts of actor, command and entity, in whatever case', () => {
  const called = ({ id }: Readonly<Record<string, unknown>>) => (id === '1' ? 'Nord' : 'Ben · teachers');
  const ids = (filters: Parameters<typeof kept>[1]) =>
    kept([SUSPENDED, LEFT], filters, called).map(({ id }) => id);
  expect(ids({})).toEqual(['1', '2']);
  expect(ids({ by: 'ANN' })).toEqual(['1']);
  expect(ids({ action: 'delete ' })).toEqual(['2']);
  expect(ids({ entity: 'teachers' })).toEqual(['2']);
  expect(ids({ entity: 'tenant:t' })).toEqual(['1']);
  expect(ids({ by: 'ann', action: 'delete' })).toEqual([]);
});

test('the log of a tenant, of a user, or of neither, within a period', () => {
  const { fields = [] } = formsOf(['audit.list']).forms['audit.list'] ?? {};
  const asked = (log: LogName, values: Values) => {
    const taken = fieldsOfLog(log, fields);
    return missing(taken, values).length > 0 ? undefined : inputOf(taken, values);
  };
  const wanted = { tenant: 'tenant:t', user: 'user:ann', from: '2026-03-01T08:00' };
  const from = '2026-03-01T08:00:00Z';
  expect(asked('tenant', wanted)).toEqual({ tenant: 'tenant:t', from });
  expect(asked('user', wanted)).toEqual({ user: 'ann', from });
  expect(asked('none', wanted)).toEqual({ from });
  expect(asked('tenant', { user: 'user:ann' })).toBeUndefined();
  expect(asked('user', { tenant: 'tenant:t' })).toBeUndefined();
});

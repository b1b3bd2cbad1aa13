import { describe, expect, test } from 'vitest';
import {
  bool,
  type Column,
  type DynamoDbQuery,
  defineRows,
  double,
  int,
  type KeyLayout,
  type Row,
  type RowCondition,
  type RowsDefinition,
  rowsInDynamoDb,
  text,
  texts,
  time,
} from '../../../engine/rows/index.ts';
import { byteLength } from '../../../table/bytes.ts';

/** The Queries of a page: what a condition asks of a table, and that a page ends. */
const DEFINITION: RowsDefinition = {
  type: 'invoice',
  id: 'id',
  scope: { column: 'project', type: 'project' },
  path: [{ column: 'client', type: 'client' }],
  properties: { owner: text('owner') },
  order: [{ column: 'sk', direction: 'asc' }],
  key: ['pk', 'sk'],
};
const LAYOUT: KeyLayout = {
  table: 'invoices',
  partition: { attribute: 'pk', column: 'client', keys: (id) => `C/${id}` },
  sort: { attribute: 'sk', prefix: 'I/', column: 'project', keys: (id) => `I/${id}/` },
};
const equals = (column: string, value: string): RowCondition => ({
  kind: 'equals',
  column: text(column),
  value,
});
const oneOf = (column: string, values: readonly string[]): RowCondition => ({
  kind: 'oneOf',
  column: text(column),
  values,
});
const and = (...parts: RowCondition[]): RowCondition => ({ kind: 'and', parts });
const or = (...parts: RowCondition[]): RowCondition => ({ kind: 'or', parts });
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);

type Answer = Awaited<ReturnType<Parameters<typeof rowsInDynamoDb<Row>>[2]>>;

/** The Queries of one page over a table that answers each of them so. */
async function ask(
  condition: RowCondition,
  { after = undefined as Record<string, string> | undefined, layout = LAYOUT, rows = DEFINITION } = {},
  answer: (input: DynamoDbQuery) => Answer = () => ({}),
) {
  const inputs: DynamoDbQuery[] = [];
  const fetch = rowsInDynamoDb<Row>(defineRows(rows), layout, async (input) => {
    inputs.push(input);
    return answer(input);
  });
  return { found: await fetch(condition, after, 2), inputs };
}

/** An expression with what its placeholders stand for. */
const shown = (expression: string | undefined, input: DynamoDbQuery) =>
  expression?.replaceAll(/[#:]\w+/g, (name) =>
    name.startsWith('#')
      ? String(input.ExpressionAttributeNames[name])
      : JSON.stringify(input.ExpressionAttributeValues[name]),
  );
const keysOf = ({ inputs }: Awaited<ReturnType<typeof ask>>) =>
  inputs.map((input) => shown(input.KeyConditionExpression, input));
const filtersOf = ({ inputs }: Awaited<ReturnType<typeof ask>>) =>
  inputs.map((input) => shown(input.FilterExpression, input));

describe('keys', () => {
  test('are what the condition says of their columns, and the filter is the rest', async () => {
    const asked = await ask(
      or(
        and(equals('client', 'b'), equals('owner', 'me')),
        and(oneOf('client', ['a', 'b']), oneOf('project', ['p', 'q'])),
      ),
    );
    expect(keysOf(asked)).toEqual([
      'pk = "C/a" AND begins_with(sk, "I/p/")',
      'pk = "C/a" AND begins_with(sk, "I/q/")',
      'pk = "C/b" AND begins_with(sk, "I/")',
    ]);
    // No filter may name a part of the key; of a project in the middle of one it is decided.
    expect(filtersOf(asked)).toEqual([undefined, undefined, undefined]);
    expect(asked.inputs[0]).toMatchObject({
      TableName: 'invoices',
      Select: 'ALL_ATTRIBUTES',
      Limit: 2,
      ScanIndexForward: true,
    });
    expect(filtersOf(await ask(and(equals('client', 'a'), equals('owner', 'me'))))).toEqual([
      'owner IN ("me")',
    ]);
  });

  test('that begin with one another are asked together', async () => {
    const sort = { ...LAYOUT.sort, keys: (id: string) => id };
    const asked = await ask(and(equals('client', 'a'), oneOf('project', ['xy', 'x', 'z'])), {
      layout: { ...LAYOUT, sort },
    });
    expect(keysOf(asked)).toEqual([
      'pk = "C/a" AND begins_with(sk, "x")',
      'pk = "C/a" AND begins_with(sk, "z")',
    ]);
  });

  test('that another part of the condition leaves out are not asked', async () => {
    const condition = and(
      oneOf('client', numbered(101)),
      oneOf('client', ['n1', 'other']),
      equals('owner', 'me'),
    );
    expect(keysOf(await ask(condition))).toEqual(['pk = "C/n1" AND begins_with(sk, "I/")']);
  });

  test('are merged in the order of their bytes, not of the units of JavaScript', async () => {
    const { found } = await ask(oneOf('client', ['a', 'b']), {}, ({ ExpressionAttributeValues }) => ({
      Items: [{ sk: ExpressionAttributeValues[':p'] === 'C/a' ? 'I/😀' : 'I/\uffff' }],
    }));
    expect(found.map(({ sk }) => sk)).toEqual(['I/\uffff', 'I/😀']);
  });

  test('that nothing can have are not asked', async () => {
    const layout = { ...LAYOUT, partition: { attribute: 'client' }, sort: { attribute: 'sk' } };
    const condition = oneOf('client', ['', 'x'.repeat(2_049), '\ud83d', 'a']);
    expect(keysOf(await ask(condition, { layout, rows: { ...DEFINITION, key: ['client', 'sk'] } }))).toEqual([
      'client = "a"',
    ]);
  });

  test('go on after a place: behind it, at it with the partitions that follow, or not at all', async () => {
    const condition = and(oneOf('client', ['a', 'b', 'c']), oneOf('project', ['o', 'p', 'q']));
    const asked = await ask(condition, { after: { pk: 'C/b', sk: 'I/p/5' } });
    expect(keysOf(asked)).toEqual([
      ...['pk = "C/a" AND sk > "I/p/5"', 'pk = "C/a" AND begins_with(sk, "I/q/")'],
      ...['pk = "C/b" AND begins_with(sk, "I/p/")', 'pk = "C/b" AND begins_with(sk, "I/q/")'],
      ...['pk = "C/c" AND sk >= "I/p/5"', 'pk = "C/c" AND begins_with(sk, "I/q/")'],
    ]);
    expect(asked.inputs.map(({ ExclusiveStartKey }) => ExclusiveStartKey)).toEqual([
      ...[undefined, undefined, { pk: 'C/b', sk: 'I/p/5' }, undefined, undefined, undefined],
    ]);
  });

  test('end where a Query leaves their beginning', async () => {
    const { found, inputs } = await ask(
      and(equals('client', 'a'), equals('project', 'p')),
      { after: { pk: 'C/0', sk: 'I/p/5' } },
      () => ({ Items: [{ sk: 'I/p/6' }, { sk: 'I/q/1' }], LastEvaluatedKey: { pk: 'C/a', sk: 'I/q/1' } }),
    );
    expect(found.map(({ sk }) => sk)).toEqual(['I/p/6']);
    expect(inputs).toHaveLength(1);
  });

  test.each<[string, RowCondition, string]>([
    ['everything', { kind: 'everything' }, 'invalid'],
    ['what is left open', equals('owner', 'me'), 'invalid'],
    ['what is left open on one side', or(equals('client', 'a'), equals('owner', 'me')), 'invalid'],
    ['a list', { kind: 'contains', column: texts('client'), value: 'a' }, 'invalid'],
    ['more than 100 partitions', oneOf('client', numbered(101)), 'limit_exceeded'],
  ])('of %s are refused', async (_, condition, code) => {
    await expect(ask(condition)).rejects.toMatchObject({ code, field: 'within' });
  });

  test('of 100 partitions are asked, 20 at a time', async () => {
    let running = 0;
    let most = 0;
    const fetch = rowsInDynamoDb<Row>(defineRows(DEFINITION), LAYOUT, async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return {};
    });
    expect(await fetch(oneOf('client', numbered(100)), undefined, 2)).toEqual([]);
    expect(most).toBe(20);
  });

  test.each<[string, Partial<RowsDefinition>]>([
    ['rows.order', { order: [{ column: 'at', direction: 'asc' }] }],
    ['rows.order', { order: [...(DEFINITION.order ?? []), { column: 'at', direction: 'asc' }] }],
    ['rows.key', { key: ['sk'] }],
  ])('that %s does not say are refused', async (field, more) => {
    const asked = ask(equals('client', 'a'), { rows: { ...DEFINITION, ...more } });
    await expect(asked).rejects.toMatchObject({ code: 'invalid', field });
  });
});

describe('a filter', () => {
  const on = (column: Column, leaf: object) => ({ column, ...leaf }) as RowCondition;
  test.each<[string, RowCondition, string | undefined]>([
    ['texts', oneOf('owner', ['a', '\ud83d']), 'owner IN ("a")'],
    ['truth', on(bool('open'), { kind: 'equals', value: true }), 'open IN (true)'],
    ['lists', on(texts('tags'), { kind: 'contains', value: 'a' }), 'contains(tags, "a")'],
    ['zero', on(int('n'), { kind: 'equals', value: 0 }), 'n BETWEEN 0 AND 0'],
    [
      'numbers, with what lies beside them',
      on(int('n'), { kind: 'equals', value: 1 }),
      'n BETWEEN 0.9999999999999998 AND 1.0000000000000002',
    ],
    [
      'numbers on one side',
      on(double('n'), { kind: 'range', from: -4, to: undefined }),
      'n >= -4.000000000000001',
    ],
    [
      'several numbers',
      on(int('n'), { kind: 'oneOf', values: [0, 2] }),
      '(n BETWEEN 0 AND 0 OR n BETWEEN 1.9999999999999996 AND 2.0000000000000004)',
    ],
    [
      'texts of times',
      on(time('at', 'text'), { kind: 'range', from: undefined, to: '2026' }),
      'at <= "2026"',
    ],
    [
      'a number that DynamoDB cannot hold',
      on(double('n'), { kind: 'range', from: 1e-200, to: 1e200 }),
      undefined,
    ],
    [
      'a number that the SDK does not take',
      on(int('n'), { kind: 'equals', value: Number.MAX_SAFE_INTEGER }),
      'n >= 9007199254740989',
    ],
    ['numbers in texts', on(int('n', 'text'), { kind: 'equals', value: 5 }), undefined],
    ['lists in texts', on(texts('tags', 'json'), { kind: 'contains', value: 'a' }), undefined],
    ['dates', on(time('at'), { kind: 'range', from: new Date(0), to: undefined }), undefined],
    ['the sort key', on(text('sk'), { kind: 'range', from: 'a', to: undefined }), undefined],
    [
      'one that cannot be said, of two',
      or(equals('owner', 'a'), on(text('sk'), { kind: 'range', from: 'a', to: undefined })),
      undefined,
    ],
  ])('says %s', async (_, condition, expected) => {
    const [filter] = filtersOf(await ask(and(equals('client', 'a'), condition)));
    expect(filter).toBe(expected);
  });

  test('of what no item can hold asks nothing', async () => {
    const contains = on(texts('tags'), { kind: 'contains', value: '\ud83d' });
    expect((await ask(and(equals('client', 'a'), equals('owner', '\ud83d')))).inputs).toEqual([]);
    expect((await ask(and(equals('client', 'a'), contains))).inputs).toEqual([]);
  });

  test('has at most 100 comparisons, each within 4 KB, and leaves out the parts beyond', async () => {
    const many = numbered(100).map((name) => on(double(name), { kind: 'range', from: 1, to: 2 }));
    const pairs = many.flatMap((part, n) => (n % 2 === 0 ? [and(part, many[n + 1] as RowCondition)] : []));
    const { inputs } = await ask(and(equals('client', 'a'), or(...pairs), equals('owner', 'me')));
    const [{ FilterExpression = '', ExpressionAttributeValues } = {} as DynamoDbQuery] = inputs;
    expect(FilterExpression.match(/BETWEEN/g)).toHaveLength(100);
    expect(byteLength(FilterExpression)).toBeLessThan(4_096);
    expect(FilterExpression).not.toContain('IN (');
    // A value that no expression names is an error.
    expect(Object.keys(ExpressionAttributeValues)).toHaveLength(200 + 2);
    const beyond = await ask(
      and(equals('client', 'a'), oneOf('owner', numbered(101)), equals('status', 'x')),
    );
    expect(filtersOf(beyond)).toEqual(['status IN ("x")']);
  });

  test('that finds nothing looks at more each time, and is left out so that the page ends', async () => {
    const condition = and(equals('client', 'a'), equals('owner', 'me'));
    const { found, inputs } = await ask(condition, {}, ({ FilterExpression }) => ({
      Items: FilterExpression === undefined ? [{ sk: 'I/1' }, { sk: 'I/2' }] : [],
      LastEvaluatedKey: { pk: 'C/a', sk: 'I/2' },
    }));
    expect(found).toHaveLength(2);
    expect(inputs.map(({ Limit }) => Limit)).toEqual([2, 4, 8, 16, 32, 64, 2]);
    expect(inputs[6]?.ExpressionAttributeValues).toEqual({ ':p': 'C/a', ':s': 'I/' });
  });
});

describe('an attribute that is absent', () => {
  const answer = () => ({ Items: [{ sk: 'I/1' }] });
  test('is NULL', async () => {
    const { found } = await ask(equals('client', 'a'), {}, answer);
    expect(found).toEqual([{ sk: 'I/1', client: null, project: null, owner: null }]);
  });

  test('of an index with a part of them is left absent: an error names it', async () => {
    const { found, inputs } = await ask(
      equals('client', 'a'),
      { layout: { ...LAYOUT, isPartial: true } },
      answer,
    );
    expect(inputs[0]?.Select).toBe('ALL_PROJECTED_ATTRIBUTES');
    expect(() => defineRows(DEFINITION).scopeOf(found[0] as Row)).toThrow('without the column project');
  });

  test('is an error where it orders the list, as a number that JavaScript has not exactly is', async () => {
    const refused = { code: 'invalid', field: 'row.sk' };
    await expect(ask(equals('client', 'a'), {}, () => ({ Items: [{}] }))).rejects.toMatchObject(refused);
    for (const sk of [2n ** 53n, 2 ** 53])
      await expect(ask(equals('client', 'a'), {}, () => ({ Items: [{ sk }] }))).rejects.toMatchObject(
        refused,
      );
  });
});

import { expect, test } from 'vitest';
import { textOf } from '../documents/documents.ts';
import { createFunctions, type Functions } from './functions.ts';

/** docs/observability.md speaks of the lines that are written. */
const PAGE = textOf('docs/observability.md');
const functions: Functions = await createFunctions();

/** The names in an object, with dots between them. */
const fieldsOf = (value: unknown): readonly string[] =>
  Object.entries(value as object).flatMap(([name, each]) =>
    typeof each === 'object' && !Array.isArray(each)
      ? fieldsOf(each).map((inner) => `${name}.${inner}`)
      : [name],
  );

const queriesOf = (kind: string): readonly string[] =>
  [...PAGE.matchAll(new RegExp(`<!-- query: ${kind} -->\n\n\`\`\`\\w*\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, query = '']) => query,
  );

async function lineOf(wanted: string): Promise<unknown> {
  functions.take();
  await functions.authorizer({ DECISION_LOG: 'all' })(await functions.event('payroll'));
  return functions.take().find(({ message }) => message === wanted);
}

test.each(['decision', 'decision log'])(
  'the line `%s` that it shows has the fields of one that is written',
  async (message) => {
    const [shown] = PAGE.split('\n').filter((line) =>
      line.startsWith(`{"level":"INFO","message":"${message}"`),
    );
    expect(fieldsOf(JSON.parse(shown ?? ''))).toEqual(fieldsOf(await lineOf(message)));
  },
);

test('each field of a query is in a decision that is written', async () => {
  const written = fieldsOf(await lineOf('decision'));
  const queries = [...queriesOf('insights'), ...queriesOf('sql')];
  expect(queries).toHaveLength(4);
  for (const query of queries) {
    const named = query.match(/\b(?:subject|action|resource|context)\.\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(1);
    expect(
      named.filter((field) => !written.includes(field)),
      query,
    ).toEqual([]);
  }
  const [table = ''] = queriesOf('athena-table');
  const columns = [
    ...table.matchAll(/^ {2}`?(\w+)`? (?:string|boolean|bigint|double|struct<(.*)>),?$/gm),
  ].flatMap(
    ([, name = '', struct]) => struct?.split(',').map((each) => `${name}.${each.split(':')[0]}`) ?? [name],
  );
  expect(columns.sort()).toEqual(written.filter((field) => !['level', 'message'].includes(field)).sort());
});

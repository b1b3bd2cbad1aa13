import { expect, test } from 'vitest';
import { createPlanned } from '../../provisioning/nodes/planned-writes.ts';
import { createMemoryTable } from '../../table/memory/index.ts';

/** Lists beside writes that are planned and not sent. */
test.each([
  [undefined, ['1', '2', '3', '4']],
  [true, ['4', '3', '2', '1']],
])('are in the order that was asked for: descending %s', async (descending, order) => {
  const { reader, writer } = createMemoryTable();
  const put = (SK: string) => ({ kind: 'put', item: { PK: 'TENANT#a', SK, Type: 'Tenant' } }) as const;
  await writer.send([put('1'), put('3')]);
  const planned = createPlanned(reader);
  await planned.add([put('4'), put('2')]);
  const items = await planned.reader.listAll({ ranges: [{ partition: 'TENANT#a' }], descending });
  expect(items.map(({ SK }) => SK)).toEqual(order);
});

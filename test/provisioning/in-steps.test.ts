import { expect, test } from 'vitest';
import { inSteps } from '../../provisioning/in-steps.ts';
import type { Planning } from '../../provisioning/plan.ts';

/** Plans the rooms that are left, one in each step. The time of the planning names the step. */
function planRooms(left: string[]) {
  const begun: boolean[] = [];
  const plan = inSteps<object>(async function* (planning) {
    begun.push(planning.again === true);
    for (;;) {
      const [room = ''] = left;
      const step = { actions: [], audit: [], result: { room, at: planning.now } };
      if (left.length === 1) return step;
      planning = yield step;
    }
  });
  return { plan, begun };
}
const at = (now: string) => ({ now }) as Planning;

test('each step is planned with what is known when it comes, and the last one has none after it', async () => {
  const left = ['a', 'b'];
  const { plan, begun } = planRooms(left);
  const first = await plan(at('1'), {});
  expect(first.result).toEqual({ room: 'a', at: '1' });
  left.shift();
  const last = await first.next?.(at('2'));
  expect(last?.result).toEqual({ room: 'b', at: '2' });
  expect(last?.next).toBeUndefined();
  expect(begun).toEqual([false]);
});

test('a step that is asked for twice is planned anew: the first plan was not written', async () => {
  const left = ['a', 'b', 'c'];
  const { plan, begun } = planRooms(left);
  const first = await plan(at('1'), {});
  left.shift();
  await first.next?.(at('2'));
  const again = await first.next?.(at('3'));
  expect(again?.result).toEqual({ room: 'b', at: '3' });
  expect(begun).toEqual([false, true]);
  left.shift();
  expect((await again?.next?.(at('4')))?.result).toEqual({ room: 'c', at: '4' });
});

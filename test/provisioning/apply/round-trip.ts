import { expect } from 'vitest';
import { stringify } from 'yaml';
import { exportOn, planOn, worldOf } from './support.ts';

/** A manifest is applied, has nothing to do then, and what is exported makes the same of an empty table. */
export async function roundTrip(text: string) {
  const world = await worldOf(text);
  expect((await planOn(world, text)).steps).toEqual([]);
  const exported: Readonly<Record<string, unknown>> = await exportOn(world);
  expect((await planOn(world, stringify(exported))).steps).toEqual([]);
  expect(await exportOn(await worldOf(stringify(exported)))).toEqual(exported);
  return { world, exported };
}

import { expect } from 'vitest';
import { createEngine } from '../../engine/index.ts';
import { evaluation, open, READ, sent } from './doors.ts';
import { type Kind, PLACE } from './fault.ts';

const WHEN = 'resource.properties.text.matches("(a+)+$")';

/** Twenty roles, each the heir of the one before, and zones as deep as they may be. */
const heirs = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `heir ${n}`,
      { owner: 't', ...(n ? { parent: `heir ${n - 1}` } : { allow: [READ] }) },
    ]),
  );

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

export const EXHAUSTION_FAULTS: Kind = {
  title: 'Exhaustion',
  faults: [
    {
      ids: ['OpenFGA CVE-2023-35933', 'OpenFGA CVE-2023-43645'],
      shape: 'A cycle or a deep model makes a check run without an end.',
      answer:
        'Trees and inheritance are bounded and free of cycles when they are written, and folded then: no check walks.',
      at: {
        provisioning: async () => {
          const { kit } = await open({ ...PLACE, roles: { ...PLACE.roles, ...heirs(3) } });
          const id = (name: string) => kit.id(name, 'role');
          for (const parent of ['heir 0', 'heir 1', 'heir 2'])
            await expect(
              kit.command('role.update', { id: id('heir 0'), parent: id(parent) }),
              parent,
            ).rejects.toMatchObject({ code: expect.stringMatching(/conflict|invalid/) });
          const deeper = open({ ...PLACE, roles: { ...PLACE.roles, ...heirs(100) } });
          await expect(deeper).rejects.toThrow(/deep|level|ancestor|inherit/i);
        },
        'command line': async () => {
          const { readDocument } = await import('../../testing/model.ts');
          for (const text of [nested(20_000), `{"a":${nested(20_000)}}`, 'a: &a [*a]', '&a {<<: *a}'])
            expect(() => readDocument('model.yaml', text), text.slice(0, 20)).toThrow();
        },
        engine: async () => {
          // A regular expression is refused when it is written, or runs in time in proportion to the text.
          const conditioned = open({
            ...PLACE,
            properties: [{ of: 'resource:location', name: 'text', type: 'string', source: 'passed' }],
            roles: { reader: { owner: 't', allow: [{ permission: READ, when: WHEN }] } },
          });
          await expect(conditioned).rejects.toThrow(/matches/);
        },
      },
    },
    {
      ids: ['OpenFGA CVE-2023-45810', 'OpenFGA CVE-2024-23820'],
      shape: 'Memory or work leaks after the answer.',
      answer:
        'No work goes on after an answer, and caches are bounded in bytes: strangers push each other out.',
      at: {
        engine: async () => {
          const { kit } = await open(PLACE);
          let open_ = 0;
          let calls = 0;
          const counted: typeof kit.reader = {
            ...kit.reader,
            getMany: async (...given) => {
              open_ += 1;
              calls += 1;
              try {
                return await kit.reader.getMany(...given);
              } finally {
                open_ -= 1;
              }
            },
          };
          let time = kit.clock.now();
          const engine = createEngine({ reader: counted, clock: { now: () => time++ }, maxBytes: 16_384 });
          const check = (n: number) => engine.check(`user:stranger-${n}`, READ, 'location:north');
          for (let n = 0; n < 500; n++) await check(n);
          expect(open_).toBe(0);
          const before = calls;
          await check(0);
          expect(calls).toBe(before + 1);
        },
        AuthZEN: async () => {
          const { handle } = await open(PLACE);
          const before = process.getActiveResourcesInfo().length;
          for (let n = 0; n < 200; n++)
            await sent(handle, '/access/v1/evaluation', evaluation({ who: `stranger-${n}`, where: 'north' }));
          expect(process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before + 1);
        },
      },
    },
  ],
};

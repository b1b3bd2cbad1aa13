import { processorMs } from '../harness/clocks.ts';
import { toFigure } from '../harness/figures.ts';
import { type Candidate, runRounds, wrongAnswer } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import { loadDeployed } from '../peers/deployed.ts';

const MANIFEST = `
permissions: [billing:read:invoice]
properties:
  - { of: "resource:invoice", name: owner, type: string, source: passed }
scopes:
  acme: { id: acme, type: client }
  north: { id: north, type: project, parent: acme }
roles:
  reader: { owner: acme, allow: [billing:read:invoice] }
  owner: { owner: acme, allow: [{ permission: billing:read:invoice, when: resource.properties.owner == subject.id }] }
users:
  all: { id: all, assignments: [{ role: reader, scope: north }] }
  own: { id: own, assignments: [{ role: owner, scope: acme }] }
`;
const PERMISSION = 'billing:read:invoice';
const PAGES = 20;

const ROWS = Array.from({ length: 50 }, (_, n) => ({ id: `i${n}`, project_id: 'north', owner: 'own' }));

/** A last page of 50 rows, from rows in memory, beside a check of each: for somebody who may see all, and by a condition. */
export const topic: Topic = {
  title: 'a page of 50 rows, beside 50 checks',
  run: async ({ quick }) => {
    const { createVisibleRows, defineRows, testEngine, text } = await loadDeployed();
    const { engine, reader, clock } = await testEngine(MANIFEST);
    const invoices = defineRows({
      type: 'invoice',
      id: 'id',
      scope: { column: 'project_id', type: 'project' },
      properties: { owner: text('owner') },
      key: ['id'],
    });
    const visibleRows = createVisibleRows({ reader, engine, clock, cursorSecret: 'x'.repeat(32) });
    const inPages = (name: string, page: () => Promise<unknown>): Candidate => ({
      name,
      run: async () => {
        for (let n = 0; n < PAGES; n++) await page();
        return PAGES;
      },
    });
    const candidatesOf = (user: string): readonly Candidate[] => [
      inPages(`page-${user}`, async () => {
        const question = { subject: `user:${user}`, permission: PERMISSION, rows: invoices };
        const { rows } = await visibleRows({ ...question, fetch: async () => ROWS });
        if (rows.length !== ROWS.length) throw wrongAnswer('page', question);
      }),
      inPages(`checks-${user}`, async () => {
        for (const row of ROWS) {
          const resource = invoices.resourceOf(row);
          const { allowed } = await engine.check(`user:${user}`, PERMISSION, 'project:north', { resource });
          if (!allowed) throw wrongAnswer('checks', row);
        }
      }),
    ];
    const samples = await runRounds(['all', 'own'].flatMap(candidatesOf), {
      rounds: quick ? 61 : 301,
      warmUp: 20,
      now: processorMs,
    });
    const figure = (user: string, title: string) =>
      toFigure(user, title, 'ns', samples(`page-${user}`), { checks: samples(`checks-${user}`) });
    return [figure('all', 'a page of 50 rows'), figure('own', 'a page of 50 rows, with a condition on each')];
  },
};

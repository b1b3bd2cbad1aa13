import { expect } from 'vitest';
import { parseConfiguration } from '../../authorizer/configuration.ts';
import { parseAuthzenConfiguration } from '../../authzen/configuration.ts';
import { runProgram } from '../../cli/program.ts';
import { readDocument } from '../../testing/model.ts';
import { doorsOf, evaluation, modelOf, open, READ, sent, TOKENS } from './doors.ts';
import { type Kind, PLACE, whereverAsked } from './fault.ts';

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

/** Allowed where a property says so that nobody has. */
const PROPERTIES = modelOf(`
properties:
  - { of: "subject:user", name: isBoss, type: bool, source: passed }
  - { of: "resource:location", name: extra, type: map, source: passed }
roles:
  reader:
    owner: t
    allow:
      - permission: "${READ}"
        when: subject.properties.isBoss || resource.properties.extra.isBoss == true
users: { ann: { id: ann, assignments: [{ role: reader, scope: t }] } }
`);

const SECRET = 'hunter2-secret';
const ENDPOINT = `http://admin:${SECRET}@127.0.0.1:9`;

export const SECRET_FAULTS: Kind = {
  title: 'Objects and secrets',
  faults: [
    {
      ids: ['CASL CVE-2026-1774', 'expr-eval GHSA-8gw3'],
      shape: 'A rule or an expression that is read reaches or changes a prototype.',
      answer:
        'What comes from outside is read by own names into maps; names of prototypes are ids and properties like any other, or refused.',
      at: {
        ...whereverAsked(PLACE, async (ask) => {
          for (const name of NAMES) {
            expect(await ask({ who: name, where: 'north' }), name).toBe('subject_unknown');
            expect(await ask({ who: 'pep', where: name }), name).toBe('scope_unknown');
            expect(await ask({ who: 'pep', action: name, where: 'north' }), name).not.toBe('allow');
          }
          expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('isBoss');
        }),
        AuthZEN: async () => {
          const { handle } = await open(PROPERTIES);
          const one = JSON.stringify(evaluation({ who: 'ann', where: 'north' }));
          for (const [from, to] of [
            ['"type":"user"', '"type":"user","properties":{"__proto__":{"isBoss":true}}'],
            ['"type":"user"', '"type":"user","__proto__":{"properties":{"isBoss":true}}'],
            ['"type":"location"', '"type":"location","properties":{"extra":{"__proto__":{"isBoss":true}}}'],
            [
              '"type":"location"',
              '"type":"location","properties":{"constructor":{"prototype":{"isBoss":true}}}',
            ],
          ] as const) {
            const { status, json } = await sent(handle, '/access/v1/evaluation', one.replace(from, to));
            expect(status === 400 || json.decision === false, to).toBe(true);
          }
          const { json } = await sent(
            handle,
            '/access/v1/evaluation',
            one.replace('"type":"user"', '"type":"user","properties":{"isBoss":true}'),
          );
          expect(json.decision).toBe(true);
        },
        'command line': async () => {
          const polluting = '__proto__: { polluted: true }';
          for (const text of [polluting, `roles: { ${polluting} }`, `{"users": {"__proto__": {}}}`])
            expect(() => readDocument('model.yaml', text), text).toThrow('__proto__ can be no name');
          expect({}).not.toHaveProperty('polluted');
        },
      },
    },
    {
      ids: ['OpenFGA CVE-2026-40293'],
      shape: 'A page that anybody may load holds an API key.',
      answer:
        'It cannot apply: pages are files of the build, the same for everybody. What a page may ask hangs on a cookie that no script reads (docs/explorer.md).',
      at: {},
    },
    {
      ids: ['SpiceDB CVE-2023-29193', 'SpiceDB CVE-2024-46255', 'SpiceDB CVE-2026-40091'],
      shape: 'Connection strings stand in logs and metrics.',
      answer:
        'Errors name the variable, never its value; what a client of AWS threw is logged by its code alone.',
      at: {
        authorizer: async () => {
          const wrong = {
            TABLE_NAME: `${SECRET}!`,
            DYNAMODB_ENDPOINT: `ftp://${SECRET}`,
            ...TOKENS,
            TOKEN_JWKS_URL: SECRET,
          };
          expect(() => parseConfiguration(wrong)).toThrow(
            expect.objectContaining({ message: expect.not.stringContaining(SECRET) }),
          );
          const { kit } = await open(PLACE);
          const failing = { ...kit.reader, getMany: () => Promise.reject(new Error(`connect ${ENDPOINT}`)) };
          const { ask, lines } = doorsOf(kit, failing);
          expect(await ask.authorizer({ who: 'pep', where: 'north' })).toBe('Internal error');
          expect(lines).not.toHaveLength(0);
          expect(lines.join()).not.toContain(SECRET);
        },
        AuthZEN: async () => {
          const wrong = { TABLE_NAME: `${SECRET}!`, DYNAMODB_ENDPOINT: `ftp://${SECRET}`, ...TOKENS };
          expect(() => parseAuthzenConfiguration(wrong)).toThrow(
            expect.objectContaining({ message: expect.not.stringContaining(SECRET) }),
          );
          const { kit } = await open(PLACE);
          const failing = { ...kit.reader, getMany: () => Promise.reject(new Error(`connect ${ENDPOINT}`)) };
          const { handle, lines } = doorsOf(kit, failing);
          const { status, body } = await sent(
            handle,
            '/access/v1/evaluation',
            evaluation({ who: 'pep', where: 'north' }),
          );
          expect(status).toBe(503);
          expect(lines).not.toHaveLength(0);
          expect(lines.join() + body).not.toContain(SECRET);
        },
        'command line': async () => {
          const said: string[] = [];
          const say = (text: string) => said.push(text);
          const code = await runProgram(['check', 'user:ann', 'grades', 'tenant:t'], {
            out: say,
            error: say,
            isTerminal: false,
            now: Date.now,
            env: {
              DYNAMODB_ENDPOINT: ENDPOINT,
              AWS_REGION: 'eu-west-1',
              AWS_ACCESS_KEY_ID: 'x',
              AWS_SECRET_ACCESS_KEY: SECRET,
            },
          });
          expect(code).not.toBe(0);
          expect(said.join('')).not.toContain(SECRET);
        },
      },
    },
  ],
};

import { beforeEach, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import type { Property } from '../../provisioning/documents/commands.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { createInputs, createKinds, fieldsOf, type Kind, OF_OPERATORS, pick } from './kinds.ts';
import { createLedgerWorld, type Input, NOBODY } from './support.ts';

/**
 * Bad input of every kind, to every field of every command: the commands, their fields and which of them
 * must be there are read from the schemas. Each is one error that names the field, and nothing is written.
 */
const inputs: Record<string, Input> = {};
const world = await createLedgerWorld();
const kinds: Readonly<Record<string, Kind>> = createKinds(world);
const inputOf = createInputs(world);
for (const command of COMMANDS.keys()) inputs[command] = await inputOf(command);
beforeEach(() => void world.calls.splice(0));

/** Fields that are only shown, and so may hold `#`. */
const SHOWN = new Set([
  ...['description', 'address', 'displayName', 'givenName', 'familyName', 'userName'],
  ...['logoUrl', 'primaryContactName', 'region', 'city', 'state', 'country', 'postalCode', 'floor'],
  ...['title', 'department', 'mfaType', 'mfaSecret', 'passwordHash', 'manufacturer', 'model'],
  ...[
    'serialNumber',
    'locationDescription',
    'ssoProvider',
    'userAgent',
    'location',
    'label',
    'street',
    'url',
  ],
  ...['notificationType', 'accountName', 'recipientFirstName', 'recipientLastName', 'sesMessageId'],
  ...['errorMessage', 'skipReason', 'subject', 'deviceId', 'entityId', 'purpose'],
]);
/** Of those, the ones that a single space is too little for. */
const NEVER_BLANK = new Set(['logoUrl', 'url', 'userName']);
/** The type of a field that may be null as well, or another of a choice. */
const typeOf = ({ type = 'object', anyOf: [first] = [] }: Property): string =>
  first ? typeOf(first) : String([type].flat()[0]);
const ANOTHER_TYPE = [{}, { $ne: null }, [[]], true, 7.5];
const UNSEEN = ['\u0000', '\n', '\u001b', '\u0085', '\u2028', '\ud800'];
/** Two of these for each field, others at each command: a schema of fields is many commands', and has them all. */
let turn = 0;
const someOf = <T>(all: readonly T[]): readonly T[] => [0, 1].map(() => all[turn++ % all.length] as T);

/** Whether the value, bad for most fields, is a good one for those of this type. */
const isGood = (type: string, value: unknown): boolean =>
  (type === 'boolean' && value === true) ||
  (type === 'number' && typeof value === 'number') ||
  (type === 'object' && typeof value === 'object' && !Array.isArray(value));

describe.each([...COMMANDS.values()].filter(({ name }) => !OF_OPERATORS.has(name)))(
  '$name',
  ({ name: command, input }) => {
    const shape = Object.entries((input as z.ZodObject).shape) as readonly [string, z.ZodType][];
    const fields = shape.map(([field]) => field);
    const types = Object.entries(fieldsOf(command)).map(([field, of]) => [field, typeOf(of)] as const);
    // A setting may be empty.
    const texts = types.flatMap(([field, type]) => (type === 'string' && field !== 'value' ? [field] : []));
    const required = shape.flatMap(([field, schema]) => (schema.safeParse(undefined).success ? [] : [field]));
    const scopes = shape.flatMap(([field, schema]) =>
      ['scope', 'parent'].includes(field) && schema.safeParse(`location:${NOBODY}`).success ? [field] : [],
    );
    const good = (): Input => inputs[command] ?? {};
    /** A good value of the field, to be spoilt; a text where the example has none. */
    const example = (field: string): string => {
      const value = good()[field];
      return typeof value === 'string' ? value : 'dashboard';
    };

    /** Sends the input and expects it to be refused for `field`, with nothing written. */
    async function expectRefused(bad: Input, field: string): Promise<void> {
      const error = await world.refused(command, bad);
      expect(error).toEqual({ code: 'invalid', message: expect.any(String), field, retryable: false });
      expect(error.message.length).toBeLessThan(400);
      expect(world.calls.map(({ operation }) => operation)).not.toContain('TransactWriteItems');
    }

    test('takes the input that the bad ones below are made from', () => {
      expect(input.safeParse(good())).toMatchObject({ success: true });
    });

    test('without a field that must be there', async () => {
      for (const field of required) {
        const { [field]: _, ...rest } = good();
        await expectRefused(rest, field);
        await expectRefused({ ...rest, [field]: null }, field);
      }
    });

    test('with a value of another type', async () => {
      for (const [field, type] of types) {
        for (const bad of someOf(ANOTHER_TYPE)) {
          if (isGood(type, bad)) continue;
          const where = type === 'array' && Array.isArray(bad) ? `${field}.0` : field;
          await expectRefused({ ...good(), [field]: bad }, where);
        }
      }
    });

    test('with a control character or a lone surrogate in a text', async () => {
      for (const field of texts) {
        for (const bad of someOf(UNSEEN)) {
          const value = example(field);
          await expectRefused({ ...good(), [field]: value.slice(0, 2) + bad + value.slice(2) }, field);
        }
      }
    });

    test('with # in a text that is more than shown', async () => {
      // A `sub` is the last part of its key: test/provisioning/identity.test.ts. Entra sends guests with one.
      const may = new Set([...SHOWN, 'sub', ...(command.startsWith('scim-') ? ['externalId'] : [])]);
      for (const field of texts.filter((each) => !may.has(each))) {
        const value = example(field);
        for (const bad of [`${value}#META`, `#${value}`])
          await expectRefused({ ...good(), [field]: bad }, field);
      }
    });

    test('with 10 KB where a name or an id is expected, and with nothing', async () => {
      for (const field of fields) {
        for (const bad of ['A'.repeat(10_240), '', ' ']) {
          if (bad.length < 2 && field === 'value') continue;
          // A space can be shown.
          if (bad === ' ' && SHOWN.has(field) && !NEVER_BLANK.has(field)) continue;
          await expectRefused({ ...good(), [field]: bad }, field);
        }
      }
    });

    test('with a field that it does not know', async () => {
      await expectRefused({ ...good(), colour: 'red' }, 'colour');
      await expectRefused({ ...good(), PK: 'USER#1' }, 'PK');
      await expectRefused(
        JSON.parse(JSON.stringify({ ...good(), x: 1 }).replace('"x"', '"__proto__"')),
        '__proto__',
      );
    });

    test.for(scopes)('with a %s of a type that there is not', async (field) => {
      const [type = '', verb] = command.split('.');
      // What has two names goes by the one with the scope in it; a list goes by the scope alone.
      const named = kinds[type]?.named.find((names) => names.includes(field));
      const { id: _, ...others } = good();
      const usual = ['create', 'read', 'update', 'delete'].includes(String(verb));
      const base =
        named && usual ? { ...Object.fromEntries(named.map((name) => [name, NOBODY])), ...others } : good();
      for (const bad of ['planet', 'user', 'role', 'constructor']) {
        // Users have settings too.
        if (type === 'setting' && verb !== 'resolve' && bad === 'user') continue;
        await expectRefused(
          { ...(verb === 'list' ? pick(good(), required) : base), [field]: `${bad}:${NOBODY}` },
          field,
        );
      }
    });
  },
);

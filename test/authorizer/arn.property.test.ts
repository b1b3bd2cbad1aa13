import { expect, test } from 'vitest';
import { parseMethodArn } from '../../authorizer/events/arn.ts';
import * as fc from '../support/fast-check.ts';

/** The form as one expression: what parseMethodArn does by hand. Only the first five colons part an ARN. */
const FORM = /^(arn:[^:]+:execute-api:[^:]*:[^:]*:([^/]+)\/([^/]+)\/)([^/]+)(\/.*)?$/su;

function asTheFormSays(arn: string) {
  const [, base, api, stage, verb, path = '/'] = FORM.exec(arn) ?? [];
  return base === undefined ? undefined : { api, base, stage, verb, path };
}

const PIECES = [
  ...['arn', 'aws', 'execute-api', 'eu-central-1', '123', 'api', 'prod', '$default', 'GET', '\n', '*', ''],
];
const piece = fc.constantFrom(...PIECES);
const similar = fc
  .tuple(piece, piece, piece, piece, piece, piece, fc.array(piece, { maxLength: 5 }))
  .map(([a, b, c, d, e, f, path]) => [a, b, c, d, e, [f, ...path].join('/')].join(':'));
const good = fc
  .tuple(piece, piece, piece, fc.array(fc.oneof(piece, fc.constant(':')), { maxLength: 6 }))
  .map(([a, b, c, path]) => `arn:${a}:execute-api:${b}:${c}:${path.join('/')}`);
const short = fc.array(piece, { maxLength: 6 }).map((path) => `arn:aws:execute-api:${path.join('/')}`);
const shredded = fc
  .array(fc.oneof(piece, fc.constantFrom(':', '/', 'arn:', 'execute-api:')), { maxLength: 14 })
  .map((parts) => parts.join(''));

test('the ARN of a method is read as its form says, whatever the text', () => {
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(similar, good, short, shredded), (arn) => {
      const expected = asTheFormSays(arn);
      if (expected) read += 1;
      expect(parseMethodArn(arn)).toEqual(expected);
    }),
    { numRuns: 5_000 },
  );
  expect(read).toBeGreaterThan(200);
});

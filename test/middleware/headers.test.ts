import { expect, test } from 'vitest';
import { nodeHeader } from '../../middleware/http.ts';

/** A guard decides on the header that the handler gets. */
const AT = 'x-at';
test.each([
  ['as it was sent', { [AT]: 'mine' }, ['mine'], ['mine']],
  ['replaced since', { [AT]: 'theirs' }, ['mine'], ['theirs']],
  ['taken away since', {}, ['mine'], []],
  ['added since', { [AT]: 'theirs' }, undefined, ['theirs']],
  ['sent twice: all, so that none counts', { [AT]: 'mine' }, ['mine', 'theirs'], ['mine', 'theirs']],
])('a header %s', (_, headers, sent, expected) => {
  expect(nodeHeader({ headers, headersDistinct: { [AT]: sent } })(AT)).toEqual(expected);
});

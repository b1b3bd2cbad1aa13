import { describe, expect, test } from 'vitest';
import {
  formatApiToken,
  formatMandateToken,
  parseMandateToken,
  readApiToken,
} from '../../table/api-token.ts';
import * as fc from '../support/fast-check.ts';
import { SAMPLE_ROWS } from '../support/ids.ts';
import { anyId, ID, OTHER_ID } from './support.ts';

const SECRET = 'kq1-_'.padEnd(43, 'A');

describe('the text of an API token', () => {
  test('is of the form that it always had for ULIDs and UUIDs', () => {
    expect(formatApiToken({ type: 'technical-user', id: ID }, OTHER_ID, SECRET)).toBe(
      `gh1_t_${ID}_${OTHER_ID}_${SECRET}`,
    );
  });

  test.each(SAMPLE_ROWS)('names its subject, %s: %s', (_what, id) => {
    const text = formatApiToken({ type: 'user', id }, id, SECRET);
    expect(readApiToken(text)).toEqual({ subject: `user:${id}`, id });
  });

  test('names any subject and any token, in characters that a bearer token may hold', () => {
    fc.assert(
      fc.property(anyId, anyId, fc.constantFrom('user', 'technical-user'), (subject, id, type) => {
        const text = formatApiToken({ type, id: subject }, id, SECRET);
        expect(text).toMatch(/^[A-Za-z0-9._~+/-]+=*$/);
        expect(readApiToken(text)).toEqual({ subject: `${type}:${subject}`, id });
      }),
    );
  });

  test('names a subject of an added type with its type', () => {
    const text = formatApiToken({ type: 'subject', id: 'device:pump_1' }, ID, SECRET);
    expect(text).toBe(`gh1_s_device.3apump.5f1_${ID}_${SECRET}`);
    expect(readApiToken(text)).toEqual({ subject: 'device:pump_1', id: ID });
  });

  test.each([
    ['a user as a subject of an added type', `gh1_s_user.3aalice_${ID}_${SECRET}`],
    ['a subject of an added type without its type', `gh1_s_pump_${ID}_${SECRET}`],
    ['an escape in capitals', `gh1_u_a.7Cb_${ID}_${SECRET}`],
    ['an escape of what needs none', `gh1_u_.61lice_${ID}_${SECRET}`],
    ['an escape that is cut off', `gh1_u_a.7_${ID}_${SECRET}`],
    ['a dot alone', `gh1_u_a.b_${ID}_${SECRET}`],
    ['a colon', `gh1_u_a.3ab_${ID}_${SECRET}`],
    ['a hash', `gh1_u_a.23b_${ID}_${SECRET}`],
    ['a null character', `gh1_u_a.00_${ID}_${SECRET}`],
    ['no subject', `gh1_u__${ID}_${SECRET}`],
    ['a subject of 129 characters', `gh1_u_${'a'.repeat(129)}_${ID}_${SECRET}`],
    ['another kind of subject', `gh1_x_${ID}_${ID}_${SECRET}`],
    ['a shorter secret', `gh1_u_${ID}_${ID}_${SECRET.slice(1)}`],
  ])('is refused with %s', (_what, text) => {
    expect(readApiToken(text)).toBeUndefined();
  });
});

describe('the text of a mandate’s token', () => {
  test('names who acts, for whom, and the mandate', () => {
    const text = formatMandateToken('agent:bot_1', 'user:ann', ID, SECRET);
    expect(text).toBe(`gh1_m_agent.3abot.5f1_user.3aann_${ID}_${SECRET}`);
    expect(parseMandateToken(text)).toEqual({
      actor: 'agent:bot_1',
      subject: 'user:ann',
      mandate: `mandate:${ID}`,
    });
  });

  test('names any of them, in characters that a bearer token may hold, and is no API token', () => {
    fc.assert(
      fc.property(anyId, anyId, anyId, (actor, subject, id) => {
        const text = formatMandateToken(`agent:${actor}`, `technical-user:${subject}`, id, SECRET);
        expect(text).toMatch(/^[A-Za-z0-9._~+/-]+=*$/);
        expect(parseMandateToken(text)).toEqual({
          actor: `agent:${actor}`,
          subject: `technical-user:${subject}`,
          mandate: `mandate:${id}`,
        });
        expect(readApiToken(text)).toBeUndefined();
      }),
    );
  });

  test.each([
    ['an actor without its type', `gh1_m_bot_user.3aann_${ID}_${SECRET}`],
    ['a subject without its type', `gh1_m_agent.3abot_ann_${ID}_${SECRET}`],
    ['a mandate with a type', `gh1_m_agent.3abot_user.3aann_mandate.3am1_${SECRET}`],
    ['an escape in capitals', `gh1_m_agent.3Abot_user.3aann_${ID}_${SECRET}`],
    ['no actor', `gh1_m__user.3aann_${ID}_${SECRET}`],
    ['a shorter secret', `gh1_m_agent.3abot_user.3aann_${ID}_${SECRET.slice(1)}`],
    ['the letter of an API token', `gh1_u_agent.3abot_user.3aann_${ID}_${SECRET}`],
  ])('is refused with %s', (_what, text) => {
    expect(parseMandateToken(text)).toBeUndefined();
  });
});

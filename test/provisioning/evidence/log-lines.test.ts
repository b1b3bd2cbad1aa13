import { describe, expect, test } from 'vitest';
import { readLogLine } from '../../../provisioning/evidence/log-lines.ts';
import { decisionLine, heartbeatLine } from './lines.ts';

describe('a line of a decision log, as it is read', () => {
  test('a decision, with references in the place of two fields', () => {
    expect(readLogLine(decisionLine({ sequence: 17, rate: 0.05 }))).toEqual({
      is: 'decision',
      at: Date.parse('2026-11-23T08:00:00.000Z'),
      service: 'authorizer',
      kind: 'check',
      process: 'P1',
      sequence: 17,
      rate: 0.05,
      subject: 'user:ann',
      permission: 'roster',
      scope: 'location:north',
      tenant: undefined,
      route: undefined,
      api: 'default',
      allowed: true,
      reason: 'role',
      askedFor: undefined,
      rests: [],
    });
  });

  test('a heartbeat', () => {
    expect(readLogLine(heartbeatLine({ sequence: 18, decisions: 412, mode: 'sampled', rate: 0.05 }))).toEqual(
      {
        is: 'heartbeat',
        at: Date.parse('2026-11-23T08:00:00.000Z'),
        since: Date.parse('2026-11-23T07:59:00.000Z'),
        service: 'authorizer',
        process: 'P1',
        sequence: 18,
        mode: 'sampled',
        ended: false,
        rate: 0.05,
        decisions: 412,
        api: 'default',
      },
    );
  });

  test('one from before numbers: a request, of which all were written', () => {
    const old = { process: undefined, sequence: undefined, rate: undefined, kind: undefined };
    const read = readLogLine(decisionLine(old));
    expect(read).toMatchObject({ kind: 'request', rate: 1 });
    expect(read).not.toHaveProperty('sequence');
  });

  test('one with a time before it, as an export of a log group has it', () => {
    expect(readLogLine(`2026-11-23T08:00:00.000Z ${decisionLine({})}`)).toMatchObject({ is: 'decision' });
  });

  test.each([
    ['a report of Lambda', 'REPORT RequestId: 1 Duration: 3 ms'],
    ['a line of another message', '{"message":"fault","why":"decision"}'],
    ['another value of JSON', '"decision"'],
  ])('%s is something else', (_, text) => {
    expect(readLogLine(text)).toEqual({ is: 'other' });
  });

  test.each([
    ['a line that was cut off', decisionLine({}).slice(0, -20)],
    ['a decision without an answer', decisionLine({ decision: undefined })],
    ['an instant that is none', decisionLine({ timestamp: 'yesterday' })],
    ['a share above one', decisionLine({ rate: 1.5 })],
    ['a line that had no chance to be written', decisionLine({ rate: 0 })],
    ['a heartbeat without a count', heartbeatLine({ decisions: undefined })],
  ])('%s may have been a decision', (_, text) => {
    expect(readLogLine(text)).toEqual({ is: 'damaged' });
  });
});

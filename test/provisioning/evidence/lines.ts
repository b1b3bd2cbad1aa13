/** Lines of a decision log as text, with some fields changed, or left out where they are undefined. */

type Fields = Readonly<Record<string, unknown>>;

export const decisionLine = (changes: Fields): string =>
  JSON.stringify({
    level: 'INFO',
    message: 'decision',
    timestamp: '2026-11-23T08:00:00.000Z',
    service: 'authorizer',
    process: 'P1',
    sequence: 1,
    rate: 1,
    kind: 'check',
    subject: { type: 'user', id: 'ann' },
    action: { name: 'roster' },
    resource: { type: 'location', id: 'north' },
    decision: true,
    context: { reason: 'role', api: 'default' },
    ...changes,
  });

export const heartbeatLine = (changes: Fields): string =>
  JSON.stringify({
    level: 'INFO',
    message: 'decision log',
    timestamp: '2026-11-23T08:00:00.000Z',
    service: 'authorizer',
    process: 'P1',
    sequence: 2,
    since: '2026-11-23T07:59:00.000Z',
    mode: 'all',
    rate: 1,
    decisions: 1,
    api: 'default',
    ...changes,
  });

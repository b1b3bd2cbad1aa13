import { expect, test } from 'vitest';
import { createSessions, LINK_MS } from '../../../local/explorer/sessions.ts';
import { frozenClock } from '../support.ts';

function setUp() {
  const clock = frozenClock();
  let count = 0;
  const sessions = createSessions({ now: clock.now, newSecret: () => `secret-${++count}` });
  return { clock, sessions };
}

test('a ticket works until five minutes have passed', () => {
  const { clock, sessions } = setUp();
  const [first, second] = [sessions.newTicket(), sessions.newTicket()];
  clock.advance(LINK_MS - 1);
  expect(sessions.open(first)).toBeDefined();
  clock.advance(1);
  expect(sessions.open(second)).toBeUndefined();
});

test('neither a ticket nor anything else is a session, nor a session a ticket', () => {
  const { sessions } = setUp();
  const ticket = sessions.newTicket();
  for (const text of [ticket, '', 'secret', 'secret-9', '\u0000']) expect(sessions.isOpen(text)).toBe(false);
  const session = String(sessions.open(ticket));
  for (const text of [session, '', 'secret']) expect(sessions.open(text)).toBeUndefined();
});

test('the oldest of more than sixteen makes room', () => {
  const { sessions } = setUp();
  const tickets = Array.from({ length: 17 }, () => sessions.newTicket());
  expect(sessions.open(String(tickets[0]))).toBeUndefined();
  const first = String(sessions.open(String(tickets[1])));
  for (const ticket of tickets.slice(2)) sessions.open(ticket);
  expect(sessions.isOpen(first)).toBe(true);
  const next = String(sessions.open(sessions.newTicket()));
  expect([sessions.isOpen(first), sessions.isOpen(next)]).toEqual([false, true]);
});

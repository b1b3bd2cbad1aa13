import { type Called, useAnswer } from '../../calls.ts';
import { type Client, useClient } from '../../client.ts';
import { type Answered, firstPage, type Item, namedIn } from '../../load-page.ts';
import { DAY } from '../../parts/instant.ts';
import {
  byOwner,
  type Ending,
  type Entitlements,
  licenceOf,
  SOON_DAYS,
  subscriptionOf,
} from './entitlements.ts';

/** Of each list the first page: what ends first. */
const LIMIT = 1_000;

/** What is paid for in the whole table and who ends soon, read again when the table changes. */
export function useEntitlements(now: number): Called<Entitlements> {
  const client = useClient();
  return useAnswer(String(now), () => load(client, now));
}

async function load({ send }: Client, now: number): Promise<Answered<Entitlements>> {
  const first = (command: string, input: Item = {}) => firstPage(send, command, { limit: LIMIT, ...input });
  const soon = new Date(now + SOON_DAYS * DAY).toISOString();
  const replies = await Promise.all([
    first('module.list'),
    ...['active', 'trial', 'expired'].map((status) => first('subscription.list', { status })),
    ...['active', 'expired'].map((status) => first('license.list', { status })),
    first('user.list', { status: 'active', from: new Date(now).toISOString(), until: soon }),
  ]);
  const items: (readonly Item[])[] = [];
  for (const reply of replies) {
    if (!reply.ok) return reply;
    items.push(reply.result.items);
  }
  const [modules = [], active = [], trial = [], past = [], licences = [], pastLicences = [], users = []] =
    items;
  return {
    ok: true,
    result: {
      modules: modules
        .filter(({ soldBySubscription }) => soldBySubscription === true)
        .map(({ name }) => String(name)),
      subscriptions: byOwner([...active, ...trial, ...past].map(subscriptionOf)),
      licences: byOwner([...licences, ...pastLicences].map(licenceOf)),
      endingUsers: users.map(endingOf),
      isComplete: replies.every((reply) => reply.ok && reply.result.cursor === undefined),
    },
  };
}

function endingOf(item: Item): Ending {
  const { tenant, endsAt } = item;
  const home = typeof tenant === 'string' ? tenant : undefined;
  return { ...namedIn('user', item), tenant: home, end: Date.parse(String(endsAt)) };
}

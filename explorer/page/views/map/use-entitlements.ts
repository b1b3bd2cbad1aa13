import { statusesOf } from '../../../../table/index.ts';
import { type Called, useAnswer } from '../../calls.ts';
import { type Client, useClient } from '../../client.ts';
import { type Answered, firstPage, type Item, namedIn } from '../../load-page.ts';
import { DAY } from '../../parts/instant.ts';
import {
  byOwner,
  type Ending,
  type Entitlements,
  licenceOf,
  READ,
  SOON_DAYS,
  subscriptionOf,
} from './entitlements.ts';

/** Of each list the first page: what ends first. */
export const LIMIT = 1_000;

/** What is paid for in the whole table and who ends soon, read again when the table changes. */
export function useEntitlements(now: number): Called<Entitlements> {
  const client = useClient();
  return useAnswer(String(now), () => load(client, now));
}

async function load({ send }: Client, now: number): Promise<Answered<Entitlements>> {
  const first = (command: string, input: Item = {}) => firstPage(send, command, { limit: LIMIT, ...input });
  const ofEachStatus = (type: string) =>
    Promise.all(statusesOf(type).map((status) => first(`${type}.list`, { status })));
  const soon = new Date(now + SOON_DAYS * DAY).toISOString();
  const lists = await Promise.all([
    Promise.all([first('module.list')]),
    ofEachStatus('subscription'),
    ofEachStatus('license'),
    Promise.all([first('user.list', { status: 'active', from: new Date(now).toISOString(), until: soon })]),
  ]);
  const failed = lists.flat().find((reply) => !reply.ok);
  if (failed) return failed;
  const pages = lists.map((replies) => replies.flatMap((reply) => (reply.ok ? reply.result : [])));
  const [modules = [], subscriptions = [], licences = [], users = []] = pages.map((all) =>
    all.flatMap(({ items }) => items),
  );
  return {
    ok: true,
    result: {
      modules: modules
        .filter(({ soldBySubscription }) => soldBySubscription === true)
        .map(({ name }) => String(name)),
      subscriptions: byOwner(subscriptions.map(subscriptionOf)),
      licences: byOwner(licences.map(licenceOf)),
      endingUsers: users.map(endingOf),
      unread: READ.filter((_, list) => pages[list]?.some(({ cursor }) => cursor !== undefined)),
    },
  };
}

function endingOf(item: Item): Ending {
  const { tenant, endsAt } = item;
  const home = typeof tenant === 'string' ? tenant : undefined;
  return { ...namedIn('user', item), tenant: home, end: Date.parse(String(endsAt)) };
}

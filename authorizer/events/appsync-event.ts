import { Fault } from '../errors.ts';
import { GRAPHQL } from '../routes/rule.ts';
import { type Fields, field, fieldsIn, textIn } from './fields.ts';
import type { GatewayRequest } from './request.ts';
import { NO_VALUES, readAppSyncHeaders, readCookies } from './values.ts';

/** AppSync's clients send the token bare: its documents forbid the scheme's name. Some send it all the same. */
const WITH_SCHEME = /^Bearer /i;

/**
 * AppSync, Lambda authorization (AppSync security-authz). One rule, `GRAPHQL /`, says who may use the API at all.
 * `operationName` is not looked at: the caller chooses it, and may ask for any field under any name.
 */
export function readAppSyncEvent(event: Fields): GatewayRequest {
  const token = field(event, 'authorizationToken') ?? '';
  if (typeof token !== 'string') {
    throw new Fault('event_malformed', "the event's authorizationToken is not a text");
  }
  const context = fieldsIn(event, 'requestContext');
  for (const name of ['apiId', 'accountId', 'requestId']) textIn(context, name);
  // Empty when a client connects for its subscriptions; the events of AppSync's other API, of channels, have none.
  if (typeof field(context, 'queryString') !== 'string') {
    throw new Fault('event_malformed', "the event's queryString is not a text");
  }
  const header = readAppSyncHeaders(event);
  return {
    kind: 'appsync',
    arn: '',
    method: GRAPHQL,
    path: '/',
    authorization: [token === '' || WITH_SCHEME.test(token) ? token : `Bearer ${token}`],
    header,
    query: NO_VALUES,
    cookies: readCookies({}, header),
  };
}

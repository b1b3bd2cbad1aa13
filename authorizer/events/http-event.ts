import { Fault } from '../errors.ts';
import { parseMethodArn, verbOf } from './arn.ts';
import { type Fields, fieldsIn, textIn } from './fields.ts';
import type { GatewayRequest } from './request.ts';
import { readCookies, readHeaders, readQuery } from './values.ts';

/** HTTP API, format 2.0 (AG http-api-lambda-authorizer). */
export function readHttpEvent(event: Fields): GatewayRequest {
  const arn = textIn(event, 'routeArn');
  if (parseMethodArn(arn) === undefined)
    throw new Fault('event_malformed', "the event's routeArn is not an ARN");
  const context = fieldsIn(event, 'requestContext');
  const header = readHeaders(event);
  return {
    kind: 'http',
    arn,
    method: verbOf(textIn(fieldsIn(context, 'http'), 'method')),
    path: withoutStage(textIn(event, 'rawPath'), textIn(context, 'stage')),
    authorization: header('authorization'),
    header,
    query: readQuery(event),
    cookies: readCookies(event, header),
  };
}

/**
 * A stage other than $default stands before the path in `rawPath`, custom domain or not. Where it does not,
 * we cannot tell what the path is: `/v1/x` may be `/x` in stage v1, or a path of its own.
 */
function withoutStage(rawPath: string, stage: string): string {
  if (stage === '$default') return rawPath;
  if (rawPath === `/${stage}`) return '/';
  if (!rawPath.startsWith(`/${stage}/`)) {
    throw new Fault('event_malformed', "the event's rawPath does not begin with the stage");
  }
  return rawPath.slice(stage.length + 1);
}

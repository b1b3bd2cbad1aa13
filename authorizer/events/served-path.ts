import { Fault } from '../errors.ts';

/**
 * What stands before the path in events of a custom domain: the key of its API mapping, or the empty text where
 * nothing does. By the name of the domain in lower case.
 */
export type BasePaths = ReadonlyMap<string, string>;

/** What an event of an HTTP API says of the path. */
export interface Arrived {
  readonly rawPath: string;
  readonly stage: string;
  /** Undefined if the event does not say. */
  readonly domainName: string | undefined;
  /** The verb of the request. */
  readonly method: string;
  /** Such as `GET /docs/{id}`; undefined if the event does not say. */
  readonly routeKey: string | undefined;
  /** Values of path parameters by name, decoded. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

const NO_STAGE = '$default';
const NO_ROUTE = '$default';

/** A domain of AWS itself. One that it does not know counts as a custom one, of which more is asked. */
const ENDPOINT = /^[a-z0-9]+\.execute-api\.[a-z0-9-]+\.(?:amazonaws\.com(?:\.cn)?|amazonaws\.eu|api\.aws)$/;

/**
 * The path that API Gateway matched, without what stands before it in `rawPath` (ADR 0006): the stage at an endpoint
 * of AWS; at a custom domain what `basePaths` names. At one that is not named, `/v1/x` in stage v1 may be `/x` or a
 * path of its own: then the matched route and its parameters decide. In each case the path must be one of the
 * matched route, where the event names it.
 *
 * @throws Fault `event_malformed` if no reading fits, or more than one
 */
export function servedPath(arrived: Arrived, basePaths: BasePaths): string {
  const readings = readingsOf(arrived, basePaths);
  if (readings.length === 0)
    throw new Fault(
      'event_malformed',
      "the event's rawPath does not begin with its stage, or with the base path",
    );
  const fitting = readings.filter((path) => isOfRoute(path, arrived, readings.length > 1));
  const [path] = fitting;
  if (path === undefined)
    throw new Fault('event_malformed', "the event's rawPath is not a path of the route in its routeKey");
  if (fitting.length > 1)
    throw new Fault(
      'event_malformed',
      "the event's rawPath may begin with its stage: name its domain in BASE_PATHS",
    );
  return path;
}

/** The paths that an event may mean; none where its path does not begin as it has to. */
export function readingsOf(
  { rawPath, stage, domainName }: Pick<Arrived, 'rawPath' | 'stage' | 'domainName'>,
  basePaths: BasePaths,
): readonly string[] {
  const withoutStage = stage === NO_STAGE ? [rawPath] : without(rawPath, stage);
  const domain = domainName?.toLowerCase();
  if (domain === undefined || ENDPOINT.test(domain)) return withoutStage;
  const basePath = basePaths.get(domain);
  if (basePath !== undefined) return basePath === '' ? [rawPath] : without(rawPath, basePath);
  return [...new Set([rawPath, ...withoutStage])];
}

/** The path after a prefix of whole segments; none if it does not begin with it. */
function without(rawPath: string, prefix: string): readonly string[] {
  if (rawPath === `/${prefix}`) return ['/'];
  return rawPath.startsWith(`/${prefix}/`) ? [rawPath.slice(prefix.length + 1)] : [];
}

const PARAMETER = /^\{([^{}+]+)(\+?)\}$/;

/**
 * Whether a path can be one of the matched route. A slash at the end counts for nothing here, as API Gateway may take
 * one; it does for the rules.
 *
 * @param withValues whether the parameters must have their values in it
 */
function isOfRoute(path: string, { method, routeKey, parameters }: Arrived, withValues: boolean): boolean {
  if (routeKey === undefined || routeKey === NO_ROUTE) return true;
  const [verb, template = ''] = routeKey.split(' ', 2);
  if (verb !== 'ANY' && verb !== method) return false;
  const segments = withoutSlash(template).split('/');
  const given = withoutSlash(path).split('/');
  const isValue = (name: string, text: string): boolean => {
    const value = withValues && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return text !== '' && (typeof value !== 'string' || isText(text, withoutSlash(value)));
  };
  for (const [position, segment] of segments.entries()) {
    const [, name, isGreedy] = PARAMETER.exec(segment) ?? [];
    const text = given[position];
    if (text === undefined) return false;
    if (name === undefined ? !isText(text, decoded(segment)) : !isGreedy && !isValue(name, text))
      return false;
    if (name !== undefined && isGreedy) return isValue(name, given.slice(position).join('/'));
  }
  return given.length === segments.length;
}

const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;

/** Whether a text of a path is a decoded one: as it is, or by its escapes. */
const isText = (text: string, value: string): boolean => text === value || decoded(text) === value;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

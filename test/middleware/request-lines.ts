import type { Random } from '../proof/oracle/random.ts';

/** Request lines that routers, parsers and proxies read in different ways. */
export interface Line {
  readonly method: string;
  readonly target: string;
}

const METHODS = 'GET GET GET HEAD HEAD POST OPTIONS DELETE'.split(' ');

const PLAIN_IDS = 'N N SOUTH n a@b auth0%7Cx auth0|x a%40b %4e a.b ~ N.json'.split(' ');
const ODD_IDS = 'a%2Fb a%252Fb N%2F a%5Cb N;at=S N%3Bx %00 %ff %zz .. . %2e%2e N%20 %C3%A4'.split(' ');

const QUERIES = [
  'at=N at=N at=S AT=S %61t=S at=%4e at=%00 at=a+b at at= at%20=S +at=S at=N,S at=N=S at==N at=%zz at=%41%zz',
  '[at]=S %5Bat%5D=S [at][0]=S at[]=S at[0]=S at%5B%5D=S at[x]=S x[at]=S at.x=S __proto__[at]=S at[__proto__]=S',
  '?at=N ?at=S at=N;at=S ;at=S x=;at=N x=?at=N x=1 =at %zz=1 at=N%26at=S constructor=S',
]
  .join(' ')
  .split(' ');

/** What is put somewhere into a path, and behind a target. */
const INSERTS = '/ // /. /.. /./ /../ %2F %2e ;x=1 \\ %00 # #? %23 ? %3f'.split(' ');
const FRAGMENTS = '# #at=S #?at=N #&at=N #x?at=N %23at=S'.split(' ');

const escaped = (text: string, at: number): string =>
  `${text.slice(0, at)}%${text.charCodeAt(at).toString(16)}${text.slice(at + 1)}`;

/** @param paths of routes, with `ID` for parameters */
export function hostileLine({ pick, oneIn, below }: Random, paths: readonly string[]): Line {
  let path = pick(paths).replaceAll('ID', () => pick(oneIn(3) ? ODD_IDS : PLAIN_IDS));
  const somewhere = () => below(path.length);
  if (oneIn(6)) path = path.toUpperCase();
  if (oneIn(8)) path = `${path}/`;
  if (oneIn(8)) path = escaped(path, somewhere());
  if (oneIn(7)) {
    const at = somewhere();
    path = path.slice(0, at) + pick(INSERTS) + path.slice(at);
  }
  if (oneIn(16)) path = `/${path}`;
  if (oneIn(16)) path = `http://${pick(['x', 'x:1', 'x@y', ''])}${path}`;
  if (oneIn(100)) path = pick(['*', 'x:443', path.slice(1)]);
  const parts = Array.from({ length: below(4) }, () => pick(QUERIES));
  const query = parts.reduce(
    (all, part) => `${all}${all && pick(['&', '&', '&', ';', '?', '&&'])}${part}`,
    '',
  );
  const target = query === '' && !oneIn(5) ? path : `${path}?${query}`;
  return { method: pick(METHODS), target: oneIn(15) ? target + pick(FRAGMENTS) : target };
}

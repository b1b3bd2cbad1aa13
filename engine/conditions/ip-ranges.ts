/**
 * IP addresses and ranges as the CEL libraries of Kubernetes and cel-go read them: IPv4 with four decimal numbers
 * without leading zeros, IPv6 as RFC 4291 writes it. Zones (`fe80::1%eth0`) and IPv4-mapped addresses
 * (`::ffff:10.0.0.1`) are refused: the same host would be in two ranges or in none. `context.ip` is never one of these.
 */
export class IpRange {
  readonly #groups: readonly number[];
  readonly #bits: number;

  /**
   * @param groups of 16 bits: 2 of IPv4, 8 of IPv6
   * @param bits leading ones that count
   */
  constructor(groups: readonly number[], bits: number) {
    this.#groups = groups;
    this.#bits = bits;
  }

  /**
   * An address of the other family is in no range.
   *
   * @throws Error for what is no address
   */
  contains(text: string): boolean {
    const address = parseAddress(text);
    if (address === undefined) throw new Error('it is no IP address');
    if (this.#groups.length !== address.length) return false;
    return this.#groups.every((group, position) => {
      const counted = Math.min(16, Math.max(0, this.#bits - position * 16));
      return (group ^ (address[position] ?? 0)) >> (16 - counted) === 0;
    });
  }
}

/** In its one form. */
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}(?<=\d)$/;

function parseIpv4(text: string): number[] | undefined {
  if (!IPV4.test(text)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** The groups of one side of `::`. The last one may be an IPv4 address, if it ends the text. */
function parseGroups(text: string, endsText: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [position, part] of parts.entries()) {
    if (part.includes('.')) {
      const embedded = endsText && position === parts.length - 1 ? parseIpv4(part) : undefined;
      if (embedded === undefined) return undefined;
      groups.push(...embedded);
    } else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

function parseIpv6(text: string): number[] | undefined {
  const [left = '', right, more] = text.split('::');
  if (more !== undefined) return undefined;
  const head = parseGroups(left, right === undefined);
  if (head === undefined) return undefined;
  if (right === undefined) return head.length === 8 ? head : undefined;
  const tail = parseGroups(right, true);
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

const isMapped = (groups: readonly number[]): boolean =>
  groups.length === 8 && groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xff_ff;

/** The groups of an address; undefined for what is none, and for one with a zone. */
function groupsOf(text: string): readonly number[] | undefined {
  // The longest address has 45 characters.
  if (text.length > 45) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** The groups of an address; undefined for what is none, and for one with a zone or IPv4-mapped. */
function parseAddress(text: string): readonly number[] | undefined {
  const groups = groupsOf(text);
  return groups === undefined || isMapped(groups) ? undefined : groups;
}

/** An address with what proxies and servers write around it: a port (RFC 3986 section 3.2.3), brackets. */
const WITH_PORT = /^(?:\[(?<v6>[^\].]*:[^\]]*)\]|(?<v4>[^:]*))(?::\d{1,5})?$/;

/**
 * An address in its one form: no port, no brackets, IPv4 where it is mapped into IPv6 (RFC 4291 section 2.5.5.2),
 * otherwise as RFC 5952 section 4 writes it.
 *
 * @returns undefined for what is no address, and for one with a zone, which names a host of one machine only
 */
export function addressIn(text: string): string | undefined {
  if (IPV4.test(text)) return text;
  const { v4, v6 } = WITH_PORT.exec(text)?.groups ?? {};
  const groups = groupsOf(v4 ?? v6 ?? text);
  if (groups === undefined) return undefined;
  return groups.length === 2
    ? formatIpv4(groups)
    : isMapped(groups)
      ? formatIpv4(groups.slice(6))
      : formatIpv6(groups);
}

const formatIpv4 = (groups: readonly number[]): string =>
  groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');

function formatIpv6(groups: readonly number[]): string {
  const texts = groups.map((group) => group.toString(16));
  // The first of the longest runs of zeros, of two or more.
  let [start, length] = [0, 1];
  for (let from = 0; from < texts.length; from++) {
    let to = from;
    while (texts[to] === '0') to++;
    if (to - from > length) [start, length] = [from, to - from];
  }
  if (length < 2) return texts.join(':');
  return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`;
}

/** A range in CIDR notation, as `10.0.0.0/8`; bits of the host are ignored. Undefined for what is none. */
export function parseRange(text: string): IpRange | undefined {
  const [address = '', length = '', more] = text.split('/');
  const groups =
    more === undefined && /^(?:0|[1-9]\d{0,2})$/.test(length) ? parseAddress(address) : undefined;
  const bits = Number(length);
  return groups === undefined || bits > groups.length * 16 ? undefined : new IpRange(groups, bits);
}

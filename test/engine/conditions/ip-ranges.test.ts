import { describe, expect, test } from 'vitest';
import { addressIn, parseRange } from '../../../engine/conditions/ip-ranges.ts';
import * as fc from '../../support/fast-check.ts';

const contains = (range: string, address: string) => parseRange(range)?.contains(address);

describe('an IP range', () => {
  test.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.7/8', '10.1.2.3', true],
    ['10.128.0.0/9', '10.127.255.255', false],
    ['10.1.2.3/32', '10.1.2.3', true],
    ['10.1.2.2/31', '10.1.2.4', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '10.0.0.1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['::1/128', '0:0:0:0:0:0:0:1', true],
    ['::102:304/128', '::1.2.3.4', true],
  ])('%s and %s', (range, address, expected) => {
    expect(contains(range, address)).toBe(expected);
  });

  test.each([
    ...['', '10.0.0.0', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/-1', '10.0.0.0/8/8', '::/129'],
    ...['fe80::%eth0/10', '::ffff:10.0.0.0/104', '10.0.0/8', '010.0.0.0/8'],
  ])('%s is none', (range) => {
    expect(parseRange(range)).toBeUndefined();
  });
});

describe('an IP address', () => {
  test.each([
    ...['', '1.2.3', '1.2.3.4.5', '1.2.3.256', '01.2.3.4', '1.2.3.4 ', '0x1.2.3.4', '1'],
    ...[':', ':::', '1::2::3', '12345::', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7::8', 'g::'],
    ...['1.2.3.4::', '::1.2.3', '1:2:3:4:5:6:7:1.2.3.4', 'fe80::1%eth0', '::ffff:10.0.0.1', '::FFFF:a00:1'],
    `::${'0'.repeat(10_000)}`,
  ])('%s is none', (address) => {
    expect(() => contains('::/0', address)).toThrow('it is no IP address');
  });
});

describe('an address in its one form', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    // As a well-known gateway writes it, with the port of the connection.
    ['203.0.113.9:41234', '203.0.113.9'],
    ['[2001:db8::9]:443', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
    // As a server of Node that listens on all addresses gives it.
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:7f00:1', '127.0.0.1'],
    ['[::ffff:127.0.0.1]:80', '127.0.0.1'],
    ['2001:DB8::9', '2001:db8::9'],
    ['2001:0db8:0:0:0:0:0:0009', '2001:db8::9'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['::', '::'],
    ['1::', '1::'],
    ['::1.2.3.4', '::102:304'],
  ])('%s is %s', (text, form) => {
    expect(addressIn(text)).toBe(form);
  });

  test.each([
    ...['', 'localhost', 'unknown', '203.0.113', '203.0.113.9:', '203.0.113.9:port', '203.0.113.9:123456'],
    ...[
      ...['[203.0.113.9]:80', '[2001:db8::9', '2001:db8::9]:443', '[[::1]]', ' 203.0.113.9'],
      ...['203.0.113.9, 10.0.0.1'],
    ],
    ...['fe80::1%eth0', '010.0.0.1', '0x7f.0.0.1', '2130706433', '1.2.3.4/32', '[]', '[]:80', ':80'],
  ])('%s is no address', (text) => {
    expect(addressIn(text)).toBeUndefined();
  });

  test('is the one that URLs have of every IPv6 address, and stays as it is', () => {
    const group = fc.oneof(fc.constant(0), fc.nat({ max: 0xff_ff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.boolean(), (groups, isUpper) => {
        const text = groups.map((each) => each.toString(16).padStart(isUpper ? 4 : 1, '0')).join(':');
        const url = new URL(`http://[${text}]`).hostname.slice(1, -1);
        const form = addressIn(isUpper ? text.toUpperCase() : text);
        const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
        expect(form).toBe(
          isMapped ? addressIn(`::ffff:${groups[6]?.toString(16)}:${groups[7]?.toString(16)}`) : url,
        );
        expect(addressIn(String(form))).toBe(form);
      }),
    );
  });
});

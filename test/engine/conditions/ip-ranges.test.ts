import { describe, expect, test } from 'vitest';
import { parseRange } from '../../../engine/conditions/ip-ranges.ts';

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

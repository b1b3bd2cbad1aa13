import { describe, expect, it } from 'vitest';
import { createRecent } from '../../authorizer/recent.ts';

const holding = (recent: { get(name: string): unknown }, ...names: readonly string[]) =>
  names.filter((name) => recent.get(name) !== undefined);

describe('what was used lately', () => {
  it('stays, and what came first and was not asked for since makes room', () => {
    const recent = createRecent<number>({ most: 3 });
    for (const [at, name] of ['a', 'b', 'c'].entries()) recent.set(name, at);
    expect(recent.get('a')).toBe(0);
    recent.set('d', 3);
    expect(recent.size).toBe(3);
    expect(holding(recent, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
  });

  it('goes as well when all were asked for: the oldest of them', () => {
    const recent = createRecent<number>({ most: 2 });
    recent.set('a', 1);
    recent.set('b', 2);
    expect(holding(recent, 'a', 'b')).toEqual(['a', 'b']);
    recent.set('c', 3);
    expect(holding(recent, 'a', 'b', 'c')).toEqual(['b', 'c']);
    expect(recent.size).toBe(2);
  });

  it('is one under each name, and is weighed once', () => {
    const recent = createRecent<string>({ most: 9, mostBytes: 10, bytesOf: ({ length }) => length });
    for (const value of ['12345', '1234567', '123']) recent.set('a', value);
    recent.set('b', '1234567');
    expect(holding(recent, 'a', 'b')).toEqual(['a', 'b']);
    recent.delete('a');
    recent.delete('a');
    recent.set('c', '123');
    expect(holding(recent, 'b', 'c')).toEqual(['b', 'c']);
    recent.set('d', '1');
    expect(recent.size).toBe(2);
  });

  it('is not kept when it is larger than all the room there is', () => {
    const recent = createRecent<string>({ most: 9, mostBytes: 4, bytesOf: ({ length }) => length });
    recent.set('a', '12345');
    expect(recent.size).toBe(0);
    recent.set('a', '1234');
    expect(recent.get('a')).toBe('1234');
  });
});

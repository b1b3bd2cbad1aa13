import { Fault } from '../errors.ts';
import { type Fields, field, isFields } from './fields.ts';

/** All values of a header, by its lower-case name; empty when it is not there. */
export type Header = (name: string) => readonly string[];

const malformed = (): Fault => new Fault('event_malformed', "the event's headers are not what AWS sends");

function mapIn(event: Fields, name: string): Fields {
  const map = field(event, name) ?? {};
  if (!isFields(map)) throw malformed();
  return map;
}

/** The values under every spelling of a name: REST keeps the spelling of the caller, HTTP APIs lower it. */
function valuesIn(map: Fields, wanted: string): readonly unknown[] {
  return Object.keys(map)
    .filter((name) => name.length === wanted.length && name.toLowerCase() === wanted)
    .flatMap((name) => map[name]);
}

/**
 * Reads the headers of an event. `headers` holds the last value of each; REST adds `multiValueHeaders`, which
 * holds all. A value that stands in the first only is added, so that no disagreement between them goes
 * unnoticed. HTTP API 2.0 joins duplicates by commas: no value that is used here may hold one.
 */
export function readHeaders(event: Fields): Header {
  const single = mapIn(event, 'headers');
  const multiple = mapIn(event, 'multiValueHeaders');
  return (name) => {
    const all = valuesIn(multiple, name);
    const values = [...all, ...valuesIn(single, name).filter((value) => !all.includes(value))];
    return values.map((value) => {
      if (typeof value !== 'string') throw malformed();
      return value;
    });
  };
}

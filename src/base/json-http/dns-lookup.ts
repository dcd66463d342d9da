import { type LookupAddress, Resolver } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { fieldOf } from '#base/text/json-field';

/** Of one question to one server, and how often it's asked. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** RFC 6761, section 6.3: these names never leave the machine. */
const LOOPBACK = /(?:^|\.)localhost\.?$/i;

/**
 * Looks names up in DNS, not in /etc/hosts, and off the thread pool: there, two names whose servers
 * don't answer would hold up every other lookup of the process.
 * @param servers of DNS, as `address:port`; by default those of the system
 */
export function dnsLookup(servers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);

  const v4 = (name: string) => ask(name, 4, (...of) => resolver.resolve4(...of));
  const v6 = (name: string) => ask(name, 6, (...of) => resolver.resolve6(...of));
  const find = async (name: string): Promise<LookupAddress[]> => {
    if (LOOPBACK.test(name)) return loopback;
    const answers = await Promise.allSettled([v4(name), v6(name)]);
    const found = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const fault = answers.find((each) => each.status === 'rejected');
    if (found.length === 0 && fault !== undefined) throw fault.reason;
    return found;
  };
  return (name, { all }, done) => {
    find(name).then(
      (found) => {
        const [first] = found;
        if (all) done(null, found);
        else if (first === undefined) done(notFound(), '');
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    );
  };
}

const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

type Answered = (error: NodeJS.ErrnoException | null, addresses: string[]) => void;

/** @returns nothing where the name has no address of this kind */
function ask(
  name: string,
  family: 4 | 6,
  resolve: (name: string, done: Answered) => void,
): Promise<LookupAddress[]> {
  return new Promise((settle, reject) => {
    resolve(name, (error, addresses) => {
      if (fieldOf(error, 'code') === 'ENODATA') settle([]);
      else if (error !== null) reject(error);
      else settle(addresses.map((address) => ({ address, family })));
    });
  });
}

function notFound(): NodeJS.ErrnoException {
  return Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND' });
}

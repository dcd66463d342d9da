import { type LookupAddress, Resolver } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type Networks, networksOf, proxyFor } from '#base/process/egress';
import { fieldOf } from '#base/text/json-field';
import { HttpFailure } from './reply.ts';
import { tunnelConnector } from './tunnel.ts';

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Azure's metadata: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  '168.63.129.16/32',
];
/** https://www.iana.org/assignments/iana-ipv6-special-registry, as far as it's in GLOBAL_V6. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialV4 = networksOf(SPECIAL_V4);
const specialV6 = networksOf(SPECIAL_V6);
/** Everything routed on the internet, excluding IPv4 addresses embedded in IPv6. */
const globalV6 = networksOf(['2000::/3']);

/** Whether an IP address is public; false if the text isn't an address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !specialV4.has(address);
  return version === 6 && globalV6.has(address) && !specialV6.has(address);
}

const HTTPS_PORT = 443;
/** Other ports below this belong to services that expect no strangers. */
const FIRST_OPEN_PORT = 1024;

export interface TargetGuardOptions {
  /** CIDRs of networks that may be reached beside public addresses, by http too, at any port. */
  readonly privateNetworks: readonly string[];
  /** Looks names up. Default: in the system's DNS. */
  readonly lookup?: LookupFunction;
}

/** Whether a port of public addresses may be reached. @param port empty for that of https */
export function isOpenPort(port: string): boolean {
  return Number(port || HTTPS_PORT) === HTTPS_PORT || Number(port) >= FIRST_OPEN_PORT;
}

/** Which addresses a request may reach, and why not the others. */
interface Judgement {
  allows(address: string): boolean;
  /** @param isPublic whether there was a public address among those refused */
  refusal(isPublic: boolean): HttpFailure;
}

/**
 * Decides where requests may go whose target others choose: by https to public addresses, and to the
 * operator's private networks. It judges the very address it then connects to, so a name that
 * changes its address in between gains nothing.
 */
export class TargetGuard {
  readonly #private: Networks;
  readonly #lookup: LookupFunction;

  constructor({ privateNetworks, lookup = dnsLookup() }: TargetGuardOptions) {
    this.#private = networksOf(privateNetworks);
    this.#lookup = lookup;
  }

  /** For undici's `connect`. @param timeoutMs for looking up the name and connecting, with TLS */
  connector(timeoutMs: number): buildConnector.connector {
    const open = this.#connector(timeoutMs, (address) => isPublicAddress(address));
    const insecure = this.#connector(timeoutMs, () => false, NOT_HTTPS);
    const odd = this.#connector(timeoutMs, () => false, ODD_PORT);
    return (target, done) => {
      const https = isOpenPort(target.port) ? open : odd;
      const connect = target.protocol !== 'https:' ? insecure : https;
      connect(target, done);
    };
  }

  /** To public addresses through a proxy, and to private ones directly. */
  #throughProxy(
    proxy: URL,
    timeout: number,
    lookup: LookupFunction,
    direct: buildConnector.connector,
  ): buildConnector.connector {
    return (target, done) => {
      const literal = target.hostname.replace(/^\[|\]$/g, '');
      const open = (address: string) => {
        const connect = this.#private.has(address)
          ? direct
          : tunnelConnector(proxy, timeout, address);
        connect(target, done);
      };
      if (isIP(literal) !== 0) open(literal);
      else {
        lookup(literal, {}, (error, address) => {
          if (error !== null) done(error, null);
          else open(String(address));
        });
      }
    };
  }

  /** @param allowsPublic which addresses may be reached beside private networks */
  #connector(
    timeout: number,
    allowsPublic: (address: string) => boolean,
    reason?: readonly ['not-https' | 'port', string],
  ): buildConnector.connector {
    const judgement: Judgement = {
      allows: (address) => this.#private.has(address) || allowsPublic(address),
      refusal: (isPublic) =>
        isPublic && reason !== undefined
          ? new HttpFailure(...reason)
          : new HttpFailure('private-address', 'is at a private address'),
    };
    const lookup = judgedLookup(this.#lookup, judgement);
    const direct = buildConnector({ timeout, allowH2: false, lookup });
    return (target, done) => {
      // Never to a private network: those are this side of a proxy.
      const proxy = reason === undefined ? proxyFor(originOf(target)) : undefined;
      const connect =
        proxy === undefined ? direct : this.#throughProxy(proxy, timeout, lookup, direct);
      // Node only looks up names.
      const literal = target.hostname.replace(/^\[|\]$/g, '');
      if (isIP(literal) === 0 || judgement.allows(literal)) connect(target, done);
      else done(judgement.refusal(isPublicAddress(literal)), null);
    };
  }
}

function originOf({ protocol, hostname, port }: buildConnector.Options): string {
  // undici leaves out an address's brackets.
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return `${protocol}//${host}${port ? `:${port}` : ''}`;
}

const NOT_HTTPS = ['not-https', 'is not at an https URL'] as const;
const ODD_PORT = ['port', 'is at a port that is neither 443 nor from 1024 on'] as const;

/** Leaves out addresses that may not be reached, and fails if none is left. */
function judgedLookup(lookup: LookupFunction, judgement: Judgement): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found, family = 0) => {
      if (error !== null) {
        done(error, []);
        return;
      }
      const all = typeof found === 'string' ? [{ address: found, family }] : found;
      const [first, ...rest] = all.filter(({ address }) => judgement.allows(address));
      if (first === undefined) {
        done(judgement.refusal(all.some(({ address }) => isPublicAddress(address))), []);
      } else if (options.all) done(null, [first, ...rest]);
      else done(null, first.address, first.family);
    });
  };
}

/** The timeout of one question to one server, and how often it's asked. */
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

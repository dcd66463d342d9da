import {
  type Logger,
  type MaybePromise,
  monotonicMs,
  RetryableError,
  sanitizeText,
  UserError,
  withoutQuotes,
} from '#base';
import { within } from '#base/waiting';
import type { SharedAnswers } from '#cluster';
import type { Urgency } from '#reputation';
import type { Wallet } from '#wallet';
import { chains } from '#wallet/chains';
import {
  BackgroundLookups,
  LookupCache,
  type LookupCacheOptions,
  type LookupCounts,
  shareFor,
} from './background.ts';
import type { NameService } from './services/service.ts';
import { NAME_SERVICES, skeletonOf, type VerifiedNames } from './verified-names.ts';

const HOUR_MS = 3_600_000;
/**
 * How long to show a name after its look-up. Another replica may have kept it for as long before, so a name
 * that changes hands is gone within a day.
 */
const KEPT_MS = 12 * HOUR_MS;
/** After this it's looked up again, and still shown meanwhile. */
const OLD_MS = 6 * HOUR_MS;
/** The same for a wallet without a name. */
const NONE_OLD_MS = 3 * HOUR_MS;
const WALLETS_KEPT = 20_000;
/** How long a typed name leads to the same wallet without another look-up. */
const TYPED_MS = 600_000;
const TYPED_KEPT = 2_000;

/** Limits on looking up typed names, which anyone can make up. */
const AT_ONCE = 8;
const PER_MINUTE = 120;
const MINUTE_MS = 60_000;
const DEADLINE_MS = 8_000;
/** How long to wait for the wallet's own name after that. */
const SOON_MS = 1_000;

/** The limit for DNS names (RFC 1035), and for the others. */
const LONGEST = 255;
/** How much of a name to repeat in a message. */
const REPEATED = 60;
const QUOTES = /^["'`“”‘’«»\s]+|["'`“”‘’«»\s]+$/g;
/** Characters that our own responses add to names, which people copy: see `defuseLinks`. */
const ADDED = /[\u2060\u2066-\u2069]/g;
const FORM = /^[^\s/:@.][^\s/:@]*\.(\p{L}{2,})$/u;
/** The endings of all services, configured or not. */
const ENDINGS = ['.eth', '.sol', '.sns', '.algo'];

export interface NamesOptions extends Pick<LookupCacheOptions, 'monotonic' | 'wall'> {
  readonly services: readonly NameService[];
  /** Shares results with other replicas; undefined: each looks them up. */
  readonly shared?: SharedAnswers | undefined;
  readonly log: Logger;
  /** How long to wait for a typed name. Default: 8 s. */
  readonly deadlineMs?: number;
}

/** Figures about one service. */
export interface NamesStatus extends LookupCounts {
  /** For example `ENS`. */
  readonly service: string;
  readonly waiting: number;
}

/** Names from all services: looked up, verified and cached. */
export class Names implements VerifiedNames {
  readonly #services: readonly NameService[];
  readonly #background: ReadonlyMap<NameService, BackgroundLookups>;
  readonly #kept: LookupCache<string | undefined>;
  readonly #typed: LookupCache<string | undefined>;
  readonly #typing = new Map<string, Promise<string | undefined>>();
  readonly #leaving = new AbortController();
  readonly #now: () => number;
  readonly #deadlineMs: number;
  #minute = { endsAt: Number.NEGATIVE_INFINITY, asked: 0 };

  constructor(options: NamesOptions) {
    const { services, shared, log, deadlineMs = DEADLINE_MS, ...clocks } = options;
    this.#deadlineMs = deadlineMs;
    this.#services = services;
    this.#now = clocks.monotonic ?? monotonicMs;
    this.#kept = new LookupCache({ ...clocks, most: WALLETS_KEPT });
    this.#typed = new LookupCache({ ...clocks, most: TYPED_KEPT });
    const failed = new LookupCache<true>({ ...clocks, most: WALLETS_KEPT });
    const common = { kept: this.#kept, failed, shared, sharedMs: KEPT_MS, now: this.#now, log };
    this.#background = new Map(
      services.map((service) => {
        const onFound = (name: string, address: string) => this.#learn(service, name, address);
        return [service, new BackgroundLookups({ ...common, service, onFound })];
      }),
    );
  }

  nameOf(address: string, urgency: Urgency = 'interactive'): string | undefined {
    const entry = this.#kept.get(address);
    const oldMs = entry?.value === undefined ? NONE_OLD_MS : OLD_MS;
    if (entry === undefined || entry.ageMs >= oldMs) this.#schedule(address, urgency);
    return entry === undefined || entry.ageMs >= KEPT_MS ? undefined : entry.value;
  }

  isAnothers(name: string, address: string): boolean {
    const ending = endingOf(name);
    if (ending === undefined || this.#serviceOf(ending)?.leadsBack !== true) return false;
    const known = this.#typed.get(name.toLowerCase());
    if (known?.value === undefined || known.ageMs >= KEPT_MS) return false;
    return known.value !== address;
  }

  hasForm(text: string): boolean {
    const ending = endingOf(text);
    return (
      ending !== undefined && (ENDINGS.includes(ending) || this.#serviceOf(ending) !== undefined)
    );
  }

  skeletonOf(text: string): string {
    return skeletonOf(text);
  }

  async walletOf(text: string, urgency: Urgency = 'interactive'): Promise<Wallet> {
    const { service, shown, normal } = await this.#read(text);
    const { chain } = service;
    const label = NAME_SERVICES[chain];
    const address = await this.#addressOf(service, normal, urgency).catch((error: unknown) => {
      if (error instanceof UserError && error.code === 'name-renamed') throw error;
      if (error instanceof RetryableError || error instanceof UserError)
        throw unchecked(shown, label);
      throw error;
    });
    if (address !== undefined) {
      await this.#nameSoon(service, address);
      return { chain, address };
    }
    throw new UserError('name-not-found', `${shown} doesn't lead to a wallet at ${label}.`, [], {
      values: [shown, label],
    });
  }

  keptWalletOf(text: string): MaybePromise<Wallet | undefined> {
    const ending = endingOf(text);
    // Without a known ending, it's probably half a name that someone is still typing.
    if (ending === undefined || !ENDINGS.includes(ending)) return undefined;
    return this.#keptOrLater(text).catch((error: unknown) => {
      if (error instanceof UserError) return undefined;
      throw error;
    });
  }

  status(): { readonly kept: number; readonly services: readonly NamesStatus[] } {
    const services = [...this.#background].map(([{ chain }, { counts, waiting }]) => {
      return { ...counts, waiting, service: NAME_SERVICES[chain] };
    });
    return { kept: this.#kept.size, services };
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    await Promise.all(this.#services.map((service) => service.close()));
    await Promise.all([...this.#background.values()].map((each) => each.close()));
  }

  /** Waits a moment for the wallet's own name, which the card shows; it may differ from the typed one. */
  async #nameSoon(service: NameService, address: string): Promise<void> {
    if (this.#kept.get(address) !== undefined) return;
    this.nameOf(address);
    const background = this.#background.get(service);
    if (background !== undefined) await within(background.over(address), SOON_MS);
  }

  #schedule(address: string, urgency: Urgency): void {
    const rules = chains.find((each) => each.looksLike(address));
    const service = this.#services.find(({ chain }) => chain === rules?.chain);
    if (service !== undefined) this.#background.get(service)?.add(address, urgency);
  }

  #serviceOf(ending: string): NameService | undefined {
    const own = this.#services.find(({ endings }) => endings.includes(ending));
    if (own !== undefined || ENDINGS.includes(ending)) return own;
    return this.#services.find(({ takesOthers }) => takesOthers);
  }

  /** @throws UserError `name-malformed`, `name-unsupported` */
  async #read(text: string): Promise<{
    readonly service: NameService;
    /** Safe to repeat. */
    readonly shown: string;
    readonly normal: string;
  }> {
    const ending = endingOf(text) ?? '';
    const typed = text.replaceAll(QUOTES, '').replaceAll(ADDED, '');
    const shown = sanitizeText(typed, REPEATED);
    const service = this.#serviceOf(ending);
    if (service === undefined) throw unsupported(shown, ending);
    const normal = await service.normalize(typed);
    if (normal !== undefined) return { service, shown, normal };
    const label = NAME_SERVICES[service.chain];
    throw new UserError('name-malformed', `${shown} isn't a valid ${label} name.`, [], {
      values: [shown, label],
    });
  }

  async #keptOrLater(text: string): Promise<Wallet | undefined> {
    const { service, normal } = await this.#read(text);
    const { chain } = service;
    const entry = this.#typed.get(normal);
    if (entry !== undefined && entry.ageMs < TYPED_MS) {
      return entry.value === undefined ? undefined : { chain, address: entry.value };
    }
    this.#addressOf(service, normal, 'background').catch(() => undefined);
    return undefined;
  }

  /** @throws RetryableError, also if there are too many look-ups */
  async #addressOf(
    service: NameService,
    name: string,
    urgency: Urgency,
  ): Promise<string | undefined> {
    const entry = this.#typed.get(name);
    if (entry !== undefined && entry.ageMs < TYPED_MS) return entry.value;
    const late = () => {
      throw new RetryableError('The look-up of a name took too long.');
    };
    return await within(this.#lookUp(service, name, urgency), this.#deadlineMs, late);
  }

  #lookUp(service: NameService, name: string, urgency: Urgency): Promise<string | undefined> {
    const running = this.#typing.get(name);
    if (running !== undefined) return running;
    if (!this.#isAllowed(urgency)) {
      return Promise.reject(new RetryableError('Too many names are being looked up.'));
    }
    const lookup = service
      .walletOf(name, this.#leaving.signal)
      .then((address) => {
        this.#learn(service, name, address);
        return address;
      })
      .finally(() => this.#typing.delete(name));
    this.#typing.set(name, lookup);
    return lookup;
  }

  /** Keeps where a name leads. Another wallet that was shown with it has lost it: no two may share it. */
  #learn(service: NameService, name: string, address: string | undefined): void {
    this.#typed.set(name, address);
    if (!service.leadsBack) return;
    for (const other of this.#kept.keysOf(name)) {
      if (other !== address) this.#background.get(service)?.forget(other);
    }
  }

  #isAllowed(urgency: Urgency): boolean {
    const now = this.#now();
    if (now >= this.#minute.endsAt) this.#minute = { endsAt: now + MINUTE_MS, asked: 0 };
    const share = shareFor(urgency);
    const isBusy = this.#typing.size >= AT_ONCE * share;
    if (isBusy || this.#minute.asked >= PER_MINUTE * share) return false;
    this.#minute.asked += 1;
    return true;
  }
}

/** The ending with its dot, in lower case; undefined if the text can't be a name. */
function endingOf(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const ending = FORM.exec(withoutQuotes(text))?.[1];
  return ending === undefined ? undefined : `.${ending.toLowerCase()}`;
}

function unsupported(shown: string, ending: string): UserError {
  return new UserError('name-unsupported', `Names that end in ${ending} aren't looked up.`, [], {
    values: [shown, ending],
  });
}

function unchecked(shown: string, label: string): UserError {
  return new UserError('name-unchecked', `${label} can't be asked about ${shown} right now.`, [], {
    values: [label, shown],
  });
}

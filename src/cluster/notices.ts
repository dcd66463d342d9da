import type { Logger } from '#base';
import type { Replica } from './replica.ts';

/**
 * How work that one replica does at a time goes: it works or fails here; undefined: another replica does it,
 * or nothing is known yet.
 */
export type WorkHealth = 'works' | 'fails' | undefined;

/** By the name of its claim. */
export type WorkHealths = ReadonlyMap<string, Exclude<WorkHealth, undefined>>;

/** What the replica that does some work says to the others while it works there. */
export function worksNotice(claim: string): string {
  return `works: ${claim}`;
}

/** What the replica that reads a source says while it is far from the source's end. */
export const PARTIAL_NOTICE = 'partial: sources';

const FAILS = 'fails: ';

/** What a replica says to the others while some work fails there. */
export function failsNotice(claim: string): string {
  return FAILS + claim;
}

/** The claims whose work fails, as others announce. */
export function failingIn(notices: ReadonlySet<string>): string[] {
  return [...notices]
    .filter((each) => each.startsWith(FAILS))
    .map((each) => each.slice(FAILS.length));
}

/** What must be equal on all replicas of an instance, by the setting's name: a digest of its value. */
export type AgreedSettings = Readonly<Record<string, string>>;

/** How a program fits the tables that replicas share. */
export interface ProgramVersion {
  /** The newest schema that it knows. */
  readonly knows: number;
  /** The lowest such version that works with the schema that it makes. */
  readonly worksFrom: number;
}

/** What one replica says about itself. */
export interface StatedSettings {
  readonly replica: string;
  /** When it started, in seconds by the store's clock. */
  readonly since: number;
  readonly settings: AgreedSettings;
  /** Undefined for a program from before it was stated. */
  readonly version?: ProgramVersion | undefined;
}

const MARK = 'settings: ';

/** What a replica says to the others while it lives. */
export function settingsNotice({ replica, since, settings, version }: StatedSettings): string {
  const stated = version && [version.knows, version.worksFrom];
  return MARK + JSON.stringify([replica, since, settings, ...(stated ?? [])]);
}

/** What replicas announce of their settings. */
export function settingsIn(notices: Iterable<string>): StatedSettings[] {
  return [...notices].flatMap((notice) => {
    if (!notice.startsWith(MARK)) return [];
    try {
      const [replica, since, settings, knows, worksFrom] = JSON.parse(notice.slice(MARK.length));
      const stated = { replica: String(replica), since: Number(since), settings: { ...settings } };
      const isVersioned = Number.isInteger(knows) && Number.isInteger(worksFrom);
      return [isVersioned ? { ...stated, version: { knows, worksFrom } } : stated];
    } catch {
      // Another version announces it in another form.
      return [];
    }
  });
}

/**
 * The settings in which one differs from most of them; where as many have one value as another, from those
 * that have run for longest. A setting that a version doesn't know isn't compared with it. `version` is among
 * them if one is too old for the tables of another, however many are: it was there before they were changed.
 * Where each differs in something, one of them counts all the same, as nobody else would do the work.
 */
export function differing(own: StatedSettings, others: readonly StatedSettings[]): string[] {
  const all = [own, ...others];
  const names = namesFromMost(own, all);
  if (names.length === 0 || all.some((one) => namesFromMost(one, all).length === 0)) return names;
  const [leader] = all
    .filter((one) => !isTooOld(one, all))
    .toSorted((a, b) => namesFromMost(a, all).length - namesFromMost(b, all).length || byAge(a, b));
  return namesApart(own, all, (name) => leader?.settings[name] ?? own.settings[name]);
}

function namesFromMost(one: StatedSettings, all: readonly StatedSettings[]): string[] {
  return namesApart(one, all, (name) => {
    const stated = all.filter(({ settings }) => settings[name] !== undefined);
    return agreedValue(stated, name);
  });
}

function namesApart(
  one: StatedSettings,
  all: readonly StatedSettings[],
  agreedIn: (name: string) => string | undefined,
): string[] {
  const { settings } = one;
  const names = Object.keys(settings).filter((name) => agreedIn(name) !== settings[name]);
  return isTooOld(one, all) ? [...names, 'version'] : names;
}

function isTooOld({ version }: StatedSettings, others: readonly StatedSettings[]): boolean {
  if (version === undefined) return false;
  return others.some((other) => version.knows < (other.version?.worksFrom ?? 0));
}

/** Those first that have run for longest. */
function byAge(a: StatedSettings, b: StatedSettings): number {
  return a.since - b.since || (a.replica < b.replica ? -1 : Number(a.replica > b.replica));
}

function agreedValue(stated: readonly StatedSettings[], name: string): string | undefined {
  const counts = new Map<string | undefined, number>();
  for (const { settings } of stated.toSorted(byAge)) {
    counts.set(settings[name], (counts.get(settings[name]) ?? 0) + 1);
  }
  const most = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === most)?.[0];
}

/**
 * Compares this replica's settings with the others' at each heartbeat. One that differs would judge members by
 * other tiers than the rest, so it stands aside: it takes no work that another can do.
 */
export class Agreement {
  readonly #replica: Pick<Replica, 'announce' | 'onNotices' | 'standAside'>;
  readonly #stated: Omit<StatedSettings, 'since'>;
  readonly #found: () => AgreedSettings;
  /** Known with the first heartbeat. */
  #since: number | undefined;
  #notice: string | undefined;
  readonly #log: Logger;
  #differs: readonly string[] = [];

  /** @param found what must be equal, too, and is only found out, such as which server answers at a URL */
  constructor(
    replica: Pick<Replica, 'announce' | 'onNotices' | 'standAside'>,
    stated: Omit<StatedSettings, 'since'>,
    log: Logger,
    found: () => AgreedSettings = () => ({}),
  ) {
    this.#replica = replica;
    this.#stated = stated;
    this.#log = log;
    this.#found = found;
    replica.onNotices((notices, at) => this.#compare(notices, at));
  }

  /** The settings in which this replica differs from the others. */
  get differs(): readonly string[] {
    return this.#differs;
  }

  #compare(notices: ReadonlySet<string>, at: number): void {
    this.#since ??= at;
    const settings = { ...this.#stated.settings, ...this.#found() };
    const own = { ...this.#stated, since: this.#since, settings };
    this.#state(settingsNotice(own));
    const before = this.#differs.join(', ');
    this.#differs = differing(own, settingsIn(notices));
    const differs = this.#differs.join(', ');
    if (differs === before) return;
    this.#replica.standAside('settings', differs !== '');
    if (differs === '') this.#log.info({}, 'settings are the same as on the other replicas again');
    else this.#log.error({ settings: differs }, DIFFERS);
  }

  #state(notice: string): void {
    if (notice === this.#notice) return;
    if (this.#notice !== undefined) this.#replica.announce(this.#notice, false);
    this.#notice = notice;
    this.#replica.announce(notice, true);
  }
}

const DIFFERS =
  'settings differ from those of the other replicas: this one leaves roles, webhooks and chats to them until all are the same';

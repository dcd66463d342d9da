import { RetryableError } from '#base';
import type { CommunityAdapter, Inspection, Member } from '#gating/community-adapter';
import { type Grant, strongestOf } from '#gating/decide/grant';
import { keptReason } from '#gating/decide/reason';
import { type AuditRow, auditRow } from '#gating/reports/audit';
import { type Community, ENTRY, grantNameOf, type Rule } from '#gating/rules/rule';
import { isSameRoleName } from '#gating/rules/tier-of-role';
import type { GateStore } from '#gating/store';
import { ALL_GRANTS, type BarSign, barOn, barSign, type MemberBar } from './member-bars.ts';

export interface BarsOptions {
  readonly store: GateStore;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** Seconds since 1970. */
  readonly now: () => number;
}

interface NamedRole {
  readonly grant: string;
  readonly name: string;
}

/** What a look at one member has shown about one role. */
interface NotedSign {
  readonly account: string;
  readonly grant: string;
  readonly sign: BarSign;
}

/** Sets and lifts members' bars, each with its row of the audit log. */
export class Bars {
  readonly #options: BarsOptions;

  constructor(options: BarsOptions) {
    this.#options = options;
  }

  /**
   * A moderator's decision.
   * @param grant ALL_GRANTS for everything in the community
   * @param isGone whether they certainly don't have it now
   * @param at when it was made, by the platform's clock if that tells
   */
  async set(
    community: Community,
    account: string,
    grant: string,
    by: string | undefined,
    isGone: boolean,
    at?: number,
  ): Promise<void> {
    const { store, now } = this.#options;
    const name = await this.nameOf(community, grant);
    const noted = { account, grant, at: now(), by, isGone, name: keptName(grant, name) };
    const bar = { ...noted, at: at ?? noted.at };
    await store.putBars(community, [{ bar, row: rowOf(community, noted, 'barred', name) }]);
  }

  /**
   * Ends one bar, or all of a member.
   * @param isMeant which of them, as they are by then
   * @returns what it was about
   */
  async lift(
    community: Community,
    account: string,
    grant: string | undefined,
    by: string | undefined,
    isMeant: (bar: MemberBar) => boolean = () => true,
  ): Promise<readonly MemberBar[]> {
    const { store, now } = this.#options;
    const isAsked = (bar: MemberBar) =>
      (grant === undefined || bar.grant === grant) && isMeant(bar);
    const names = new Map<string, string>();
    for (const bar of (await store.barsOf(community, [account])).filter(isAsked)) {
      names.set(bar.grant, await this.nameOf(community, bar.grant));
    }
    // Somebody may have barred them anew while the platform was asked for names.
    const asked = names.size === 0 ? [] : await store.barsOf(community, [account]);
    const lifted: MemberBar[] = [];
    for (const bar of asked.filter(isAsked)) {
      const name = names.get(bar.grant);
      if (name === undefined) continue;
      const row = rowOf(community, { ...bar, at: now(), by }, 'unbarred', name);
      if (await store.liftBar(community, account, bar.grant, row)) lifted.push(bar);
    }
    return lifted;
  }

  /** Somebody without the right has given it to them: the bar stands, and what a look sees of it doesn't end it. */
  async keep(community: Community, bar: MemberBar, by: string): Promise<void> {
    const { store, now } = this.#options;
    const name = await this.nameOf(community, bar.grant);
    const row = rowOf(community, { ...bar, at: now(), by }, 'bar-kept', name);
    await store.keepBar(community, bar.account, bar.grant, row);
  }

  /**
   * A rule is about to be removed: what a bar on everything kept from members stays barred, so that lifting it
   * later still is a decision about that role.
   */
  async outlive({ community, grant, grantName: name }: Rule): Promise<void> {
    if (grant === ENTRY) return;
    await this.#options.store.copyBars(community, ALL_GRANTS, { grant, name });
  }

  /**
   * Puts the bars on deleted roles onto one of the same name, which a rule is about to give: making a role anew
   * lifts no bar, nor does renaming it first.
   * @returns whether another role has or had that name, whose bars stay its own
   * @throws RetryableError while the platform can't say what was deleted
   */
  async inherit(community: Community, to: NamedRole, by: string): Promise<boolean> {
    if (to.grant === ENTRY) return false;
    let hasNamesake = false;
    for (const { grant, name, formerNames = [] } of await this.#options.store.barredGrants(
      community,
    )) {
      if (![name, ...formerNames].some((each) => isNamesake({ grant, name: each }, to))) continue;
      const found = await this.#inspect(community, grant);
      if (found?.blockers.includes('no-role') === true) await this.#move(community, grant, to, by);
      else hasNamesake = true;
    }
    return hasNamesake;
  }

  /**
   * The same for a role whose namesake was deleted only after its rule had been made. Nobody reads which bars move
   * then, so former names don't count.
   * @param bars of a member whom a rule would give it
   */
  async #inheritLate(community: Community, grant: string, bars: readonly MemberBar[]) {
    if (grant === ENTRY || bars.every((bar) => bar.name === undefined)) return;
    const rules = await this.#options.store.rulesOf(community);
    const rule = rules.find((each) => each.grant === grant);
    if (rule === undefined) return;
    const to = { grant, name: rule.grantName };
    for (const bar of bars) {
      if (!isNamesake(bar, to)) continue;
      const found = await this.#inspected(community, bar.grant);
      if (found?.blockers.includes('no-role') !== true) continue;
      await this.#move(community, bar.grant, to, undefined);
    }
  }

  async #move(
    community: Community,
    from: string,
    to: NamedRole,
    by: string | undefined,
  ): Promise<void> {
    const { store, now } = this.#options;
    const moved = (await store.barsOn(community, [from])).map((bar) => {
      const row = rowOf(community, { ...bar, ...to, at: now(), by }, 'bar-moved', to.name);
      return { bar, row };
    });
    await store.moveBars(community, moved, to);
  }

  /**
   * The bar that keeps rules from granting something to a member.
   * @param known the member's bars, if they were just read
   */
  async on(
    community: Community,
    account: string,
    grant: string,
    known?: readonly MemberBar[],
  ): Promise<MemberBar | undefined> {
    const bars = known ?? (await this.#options.store.barsOf(community, [account]));
    return await this.#among(community, bars, account, grant);
  }

  async #among(
    community: Community,
    bars: readonly MemberBar[],
    account: string,
    grant: string,
  ): Promise<MemberBar | undefined> {
    const bar = barOn(bars, grant);
    if (bar !== undefined || bars.length === 0) return bar;
    await this.#inheritLate(community, grant, bars);
    return barOn(await this.#options.store.barsOf(community, [account]), grant);
  }

  /**
   * Notes what a look at one member says about a role.
   * @param grants what is remembered of it, under all its rules
   * @param known the member's bars, if they were just read
   * @returns the bar that now keeps rules from granting it
   */
  async observe(
    community: Community,
    grants: readonly Grant[],
    live: Member,
    grant: string,
    known?: readonly MemberBar[],
  ): Promise<MemberBar | undefined> {
    const shared = strongestOf(grants) ?? { ownership: 'none' as const, joinedAt: undefined };
    const bars = known ?? (await this.#options.store.barsOf(community, [live.id]));
    const sign = barSign(shared, bars, live, grant);
    if (sign === undefined) return await this.#among(community, bars, live.id, grant);
    await this.note(community, [{ account: live.id, grant, sign }]);
    return await this.on(community, live.id, grant);
  }

  /** Call it before storing the grants: if the process is killed in between, the next look notes it. */
  async note(community: Community, signs: readonly NotedSign[]): Promise<void> {
    const { store, now } = this.#options;
    const removed = signs.filter(({ sign }) => sign === 'removed');
    const names = new Map<string, string>();
    for (const grant of new Set(removed.map((each) => each.grant))) {
      const name = await this.#existing(community, grant);
      if (name !== undefined) names.set(grant, name);
    }
    await store.putBars(
      community,
      removed.flatMap(({ account, grant }) => {
        const name = names.get(grant);
        if (name === undefined) return [];
        const kept = keptName(grant, name);
        const bar = { account, grant, at: now(), by: undefined, isGone: true, name: kept };
        return [{ bar, row: rowOf(community, bar, 'barred', name) }];
      }),
    );
    const given = signs.filter(({ sign }) => sign === 'given');
    // Having it isn't enough where the platform tells who gave it: that may have been nobody with the right.
    if (given.length === 0 || (await this.#isToldOfGivers(community))) return;
    const accounts = given.map(({ account }) => account);
    const moved = (await store.barsOf(community, accounts)).filter(
      (bar) => bar.origin !== undefined,
    );
    for (const { account, grant } of given) {
      // What comes from a deleted role ends only with somebody who certainly had the right.
      if (moved.some((bar) => bar.account === account && bar.grant === grant)) continue;
      await this.lift(community, account, grant, undefined);
    }
  }

  async #isToldOfGivers(community: Community): Promise<boolean> {
    const { store, adapterOf } = this.#options;
    const adapter = adapterOf(community.platform);
    if (adapter?.handLog === undefined) return adapter?.reportsGivers === true;
    return (await store.settingsOf(community)).auditCursor !== undefined;
  }

  /**
   * What members know a grant by; its id if nothing tells its name, or nothing of that can be seen.
   * @param last what it was called when the bar was last looked at
   */
  async nameOf(community: Community, grant: string, last?: string): Promise<string> {
    if (grant === ALL_GRANTS) return '';
    const { store } = this.#options;
    const rules = await store.rulesOf(community);
    const named = rules.find((rule) => rule.grant === grant)?.grantName;
    // Entry has a name in each language; many may be removed at once, without a call for each.
    if (grant === ENTRY) return named ?? '';
    const found = await this.#inspected(community, grant);
    const known = found !== undefined && !isDeleted(found) ? found.name : undefined;
    return grantNameOf(community, grant, known || named || last || '');
  }

  /** The name of a role; undefined if it's gone: a deleted role was taken from nobody in particular. */
  async #existing(community: Community, grant: string): Promise<string | undefined> {
    const inspected = await this.#inspected(community, grant);
    if (inspected !== undefined && isDeleted(inspected)) return undefined;
    return grantNameOf(community, grant, inspected?.name ?? '');
  }

  async #inspected(community: Community, grant: string): Promise<Inspection | undefined> {
    try {
      return await this.#inspect(community, grant);
    } catch (error) {
      // In doubt, a moderator's decision stands.
      if (error instanceof RetryableError) return undefined;
      throw error;
    }
  }

  /** @throws RetryableError */
  async #inspect(community: Community, grant: string): Promise<Inspection | undefined> {
    const adapter = this.#options.adapterOf(community.platform);
    const recent = await adapter?.inspect(community.id, grant, undefined, false);
    // It may have been made a moment ago.
    if (adapter === undefined || recent === undefined || !isDeleted(recent)) return recent;
    return await adapter.inspect(community.id, grant);
  }
}

function isDeleted({ blockers }: Inspection): boolean {
  return blockers.some((it) => it === 'no-role' || it === 'no-community');
}

/** @param name as `nameOf` tells it */
function keptName(grant: string, name: string): string | undefined {
  return name === '' || name === grant ? undefined : name;
}

function isNamesake({ grant, name }: Pick<MemberBar, 'grant' | 'name'>, to: NamedRole): boolean {
  return grant !== to.grant && name !== undefined && isSameRoleName(name, to.name);
}

function rowOf(
  community: Community,
  { account, at, by, grant }: MemberBar,
  event: 'barred' | 'unbarred' | 'bar-kept' | 'bar-moved',
  name: string,
): AuditRow {
  const detail = keptReason({ code: 'bar', grant, name });
  return auditRow(at, community, event, { account, by, detail });
}

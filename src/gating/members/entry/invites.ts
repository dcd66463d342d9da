import { type Logger, messageOf, RetryableError } from '#base';
import type { Replica } from '#cluster';
import type { CommunityAdapter } from '#gating/community-adapter';
import { auditRow, type Change } from '#gating/reports/audit';
import {
  isFixableByMember,
  type MemberFixableRefusal,
  type PlatformRefusal,
} from '#gating/rules/refusals';
import { type Community, isEntry } from '#gating/rules/rule';
import { admissionClaim, inviteClaim } from '#gating/runs/claims';
import type { GateStore, JoinRequest } from '#gating/store';

export interface AdmissionsOptions {
  readonly store: GateStore;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly signal: AbortSignal;
  /** Called when a rule has admitted someone whose request was pending. */
  readonly onAdmitted: (community: Community, request: JoinRequest) => Promise<void>;
  /**
   * Called when the platform refuses an applicant for a reason that they can mend.
   * @returns whether they were told, as far as the platform lets the bot; false: not yet
   */
  readonly onRefused: (
    community: Community,
    request: JoinRequest,
    why: MemberFixableRefusal,
  ) => Promise<boolean>;
}

/** Requests looked at together. */
const PAGE = 200;

/** Settles join requests once the platform has said what became of them. */
export class Admissions {
  readonly #options: AdmissionsOptions;

  constructor(options: AdmissionsOptions) {
    this.#options = options;
  }

  /**
   * They were admitted.
   * @param isOurs whether a rule certainly did it, of which they are notified. If it may have, nothing
   *   happens yet: the platform's news of them can come before its answer to us.
   */
  async entered(community: Community, account: string, isOurs: boolean): Promise<void> {
    const { store, onAdmitted, replica, signal } = this.#options;
    if (!isOurs && (await store.unsettledOf(community, account)).some(isAdmission)) return;
    // The request stays until they're told, and whoever hears of them meanwhile must not tell them again.
    await replica.inTurn(admissionClaim(community, account), signal, async () => {
      const request = await store.joinRequestOf(community, account);
      await store.noteMembers(community, [account]);
      if (request === undefined) return;
      if (request.locale !== undefined) await store.noteLocale(community, account, request.locale);
      if (isOurs || (await this.#isByRule(community, account)))
        await onAdmitted(community, request);
      await store.endJoinRequest(community, account);
    });
  }

  /** Those whom a rule has let in, with the process killed before they were told. */
  async *untold(
    communities: Iterable<Community>,
  ): AsyncGenerator<{ readonly community: Community; readonly account: string }> {
    const { store } = this.#options;
    for (const community of communities) {
      let last: string | undefined = '';
      while (last !== undefined) {
        const page = await store.applicantsAfter(community, last, PAGE);
        last = page.at(-1)?.account;
        for (const { account } of page) {
          if (await this.#isByRule(community, account)) yield { community, account };
        }
      }
    }
  }

  async #isByRule(community: Community, account: string): Promise<boolean> {
    const grants = await this.#options.store.grantsOf(community, [account]);
    return grants.some(({ ownership }) => ownership === 'ours');
  }

  /** The platform refuses them; they're told if it's up to them. @returns false if they have yet to be told */
  async refused(community: Community, account: string, why: PlatformRefusal): Promise<boolean> {
    const { store, onRefused } = this.#options;
    const request = await store.joinRequestOf(community, account);
    if (request === undefined || !isFixableByMember(why)) return true;
    return await onRefused(community, request, why);
  }

  /** The request is gone: withdrawn, or declined by someone else. */
  async withdrawn(community: Community, account: string): Promise<void> {
    await this.#options.store.endJoinRequest(community, account);
  }

  async isAsking(community: Community, account: string): Promise<boolean> {
    return (await this.#options.store.joinRequestOf(community, account)) !== undefined;
  }
}

/** Whether a change admits someone to a group, rather than granting a member something. */
export function isAdmission({ step, grant }: Pick<Change, 'step' | 'grant'>): boolean {
  return step === 'give' && isEntry({ grant });
}

export interface InvitesOptions {
  readonly store: GateStore;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** The one link of each community that makes people request to join: kept, and checked whenever it's shown. */
export class Invites {
  readonly #options: InvitesOptions;

  constructor(options: InvitesOptions) {
    this.#options = options;
  }

  /**
   * @returns undefined if the platform has none, or doesn't give the bot one now; if it doesn't answer,
   *   the link as last known
   */
  async of(community: Community): Promise<string | undefined> {
    const { log } = this.#options;
    try {
      return await this.#inTurn(community, async (adapter, known) => {
        return await this.#keep(community, known, await adapter.invite(community.id, known));
      });
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.warn({ error: messageOf(error) }, 'could not check an invite link');
      return await this.lastKnown(community);
    }
  }

  /** The link as last known: without a right now, the bot can neither check nor end it, and it works on. */
  async lastKnown(community: Community): Promise<string | undefined> {
    return (await this.#options.store.settingsOf(community)).invite;
  }

  /**
   * Ends the link, and makes another one.
   * @returns undefined if the platform doesn't let the bot do it now
   * @throws RetryableError if the platform doesn't answer
   */
  async renew(community: Community, by: string): Promise<string | undefined> {
    const { store, now } = this.#options;
    return await this.#inTurn(community, async (adapter, known) => {
      if (known !== undefined) await adapter.revokeInvite?.(community.id, known);
      const made = await this.#keep(community, known, await adapter.invite(community.id));
      if (made === undefined) return undefined;
      await store.audit([auditRow(now(), community, 'invite-renewed', { by })]);
      return made;
    });
  }

  async #keep(
    community: Community,
    known: string | undefined,
    invite: string | undefined,
  ): Promise<string | undefined> {
    // Without a right now, the bot may get it back.
    if (invite !== undefined && invite !== known) {
      await this.#options.store.putSettings(community, { invite });
    }
    return invite;
  }

  /** Two replicas would make two links. */
  async #inTurn(
    community: Community,
    work: (adapter: CommunityAdapter, known: string | undefined) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const { store, adapterOf, replica, signal } = this.#options;
    const adapter = adapterOf(community.platform);
    if (adapter === undefined) return undefined;
    return await replica.inTurn(inviteClaim(community), signal, async () => {
      return await work(adapter, (await store.settingsOf(community)).invite);
    });
  }
}

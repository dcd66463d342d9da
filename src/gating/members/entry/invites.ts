import { type Logger, messageOf, RetryableError } from '#base';
import type { Replica } from '#cluster';
import type { CommunityAdapter } from '#gating/community-adapter';
import type { Community } from '#gating/rules/rule';
import { inviteClaim } from '#gating/runs/claims';
import type { GateStore } from '#gating/store';

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
      const about = { run: undefined, rule: undefined, account: undefined, by, detail: '' };
      await store.audit([{ at: now(), community, event: 'invite-renewed', ...about }]);
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

import type { Change } from '#gating/reports/audit';
import {
  isFixableByMember,
  type MemberFixableRefusal,
  type PlatformRefusal,
} from '#gating/rules/refusals';
import { type Community, isEntry } from '#gating/rules/rule';
import type { GateStore, JoinRequest } from '#gating/store';

export interface AdmissionsOptions {
  readonly store: GateStore;
  /** Called when a rule has admitted someone whose request was pending. */
  readonly onAdmitted: (community: Community, request: JoinRequest) => Promise<void>;
  /** Called once when the platform refuses an applicant for a reason that they can mend. */
  readonly onRefused: (
    community: Community,
    request: JoinRequest,
    why: MemberFixableRefusal,
  ) => Promise<void>;
}

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
    const { store, onAdmitted } = this.#options;
    if (!isOurs && (await store.unsettledOf(community, account)).some(isAdmission)) return;
    const request = await store.joinRequestOf(community, account);
    await store.noteMembers(community, [account]);
    const isAnswered = await store.endJoinRequest(community, account);
    if (isOurs && isAnswered && request !== undefined) await onAdmitted(community, request);
  }

  /** The platform refuses them; they're told if it's up to them. */
  async refused(community: Community, account: string, why: PlatformRefusal): Promise<void> {
    const { store, onRefused } = this.#options;
    const request = await store.joinRequestOf(community, account);
    if (request !== undefined && isFixableByMember(why)) await onRefused(community, request, why);
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

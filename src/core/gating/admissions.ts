import type { Change } from '#core/gating/audit';
import { type Community, isEntry } from '#core/gating/rule';
import type { GateStore, JoinRequest } from '#core/gating/store';

export interface AdmissionsOptions {
  readonly store: GateStore;
  /** Somebody whose request was kept has been let in by a rule. */
  readonly onAdmitted: (community: Community, request: JoinRequest) => Promise<void>;
}

/** What becomes of requests to join, once the platform has said what is so. */
export class Admissions {
  readonly #options: AdmissionsOptions;

  constructor(options: AdmissionsOptions) {
    this.#options = options;
  }

  /** They are in. @param isOurs whether a rule let them in, which they are told */
  async entered(community: Community, account: string, isOurs: boolean): Promise<void> {
    const { store, onAdmitted } = this.#options;
    const request = await store.joinRequestOf(community, account);
    await store.noteMembers(community, [account]);
    const isAnswered = await store.endJoinRequest(community, account);
    if (isOurs && isAnswered && request !== undefined) await onAdmitted(community, request);
  }

  /** They don't ask any more: withdrawn, or turned down by somebody else. */
  async withdrawn(community: Community, account: string): Promise<void> {
    await this.#options.store.endJoinRequest(community, account);
  }

  async isAsking(community: Community, account: string): Promise<boolean> {
    return (await this.#options.store.joinRequestOf(community, account)) !== undefined;
  }
}

/** Whether a change lets somebody into a group, rather than giving a member something. */
export function isAdmission({ step, grant }: Pick<Change, 'step' | 'grant'>): boolean {
  return step === 'give' && isEntry({ grant });
}

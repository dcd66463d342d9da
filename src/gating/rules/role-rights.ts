import { type GateErrorCode, sanitizeText, UserError } from '#base';
import { accountIdIn } from '#command';
import type { CommunityAdapter } from '#gating/community-adapter';
import { ALL_GRANTS } from '#gating/members/bars/member-bars';
import type { GateStore } from '#gating/store';
import { type Community, ENTRY, grantNameOf } from './rule.ts';

export interface RoleRightsOptions {
  readonly store: Pick<GateStore, 'rulesOf'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
}

/**
 * Whether a moderator may decide about what others have decided: about what they could give by hand. Of roles,
 * where a community has some, those are the ones below their own highest.
 *
 * | what they do                                      | is about               |
 * |---------------------------------------------------|------------------------|
 * | add, edit, remove or resume a rule                | its role               |
 * | bar from a role, or lift that                     | that role              |
 * | bar from everything, or lift that; protect or not | all that rules give    |
 * | lift a bar from who is banned from a group        | the right to ban       |
 * | switch the ladder, how wallets count, a setup and | all that rules give    |
 * | its undo                                          |                        |
 *
 * All else is every moderator's: what only stops (pause, stop, undo a run), runs, which carry out what was decided, answers
 * to the bot's questions, and where and how it speaks.
 */
export class RoleRights {
  readonly #options: RoleRightsOptions;

  constructor(options: RoleRightsOptions) {
    this.#options = options;
  }

  /** @throws UserError `gate-role-above`, RetryableError */
  async requireFor(community: Community, grants: Iterable<string>, by: string): Promise<void> {
    const above = await this.firstAbove(community, grants, by);
    if (above !== undefined) throw roleAbove('gate-role-above', above);
  }

  /**
   * @param code what it's refused with: only who bars somebody can choose fewer roles
   * @throws UserError with that code, RetryableError
   */
  async requireForAll(
    community: Community,
    by: string,
    code: 'gate-roles-above' | 'gate-bar-above' = 'gate-roles-above',
  ): Promise<void> {
    const rules = await this.#options.store.rulesOf(community);
    const grants = rules.map(({ grant }) => grant);
    const above = await this.firstAbove(community, grants, by);
    if (above !== undefined) throw roleAbove(code, above);
  }

  /** Letting in whom others have banned takes the right to. @throws UserError `gate-banned`, RetryableError */
  async requireEntry(community: Community, account: string, by: string): Promise<void> {
    const adapter = this.#options.adapterOf(community.platform);
    if ((await adapter?.mayLetIn?.(community.id, account, accountIdIn(by))) !== false) return;
    throw new UserError('gate-banned', 'They are banned, and only who may ban can lift that.');
  }

  /**
   * Those that were deleted: nobody could give them, or knows how high they were.
   * @returns none for members who may manage the community: they decide about them
   * @throws RetryableError
   */
  async deletedAmong(
    community: Community,
    grants: Iterable<string>,
    by: string,
  ): Promise<ReadonlySet<string>> {
    const adapter = this.#options.adapterOf(community.platform);
    const deleted = new Set<string>();
    for (const role of new Set([...grants].filter(isRole))) {
      const found = await adapter?.inspect(community.id, role, undefined, false);
      if (found?.blockers.includes('no-role') === true) deleted.add(role);
    }
    return deleted.size === 0 || (await this.manages(community, by)) ? new Set() : deleted;
  }

  /**
   * Whether they decide about all roles there, also about those of which nobody knows any more how high they were.
   * @throws RetryableError
   */
  async manages(community: Community, by: string): Promise<boolean> {
    const adapter = this.#options.adapterOf(community.platform);
    const member = await adapter?.member(community.id, accountIdIn(by), true);
    return member?.isAdmin === true;
  }

  /**
   * @returns the name of a role that isn't below their own highest one
   * @throws RetryableError
   */
  async firstAbove(
    community: Community,
    grants: Iterable<string>,
    by: string,
  ): Promise<string | undefined> {
    const adapter = this.#options.adapterOf(community.platform);
    const roles = new Set([...grants].filter(isRole));
    for (const [i, role] of [...roles].entries()) {
      const found = await adapter?.inspect(community.id, role, accountIdIn(by), i === 0);
      if (found?.blockers.includes('role-above-maker') === true) {
        return grantNameOf(community, role, found.name);
      }
    }
    return undefined;
  }
}

function isRole(grant: string): boolean {
  return grant !== ENTRY && grant !== ALL_GRANTS;
}

function roleAbove(code: GateErrorCode, name: string): UserError {
  return new UserError(code, 'The role is above your own.', [], { values: [sanitizeText(name)] });
}

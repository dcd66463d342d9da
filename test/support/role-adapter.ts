import { RetryableError } from '#base/errors';
import type { NamedRole, ReportRefusal, RoleOutcome } from '#gating/community-adapter';
import { TestAdapter } from './gating.ts';

/** A community whose roles can be made and deleted. */
export class TestRoleAdapter extends TestAdapter {
  readonly made: { readonly id: string; readonly tier: string; name: string }[] = [];
  /** By somebody else. */
  readonly others: NamedRole[] = [{ id: '500', name: 'Moderators' }];
  readonly #deleted = new Set<string>();
  #last = 600;

  override async inspect(_?: string, role = '', maker = '') {
    const { blockers } = await super.inspect(_, role, maker);
    const found = this.#all().find(({ id }) => id === role);
    return found === undefined
      ? { name: role, blockers: ['no-role' as const] }
      : { name: found.name, blockers };
  }

  async listRoles() {
    return { roles: this.#all(), blockers: this.blockers };
  }

  async makeRole(_: string, { name, tier }: { readonly name: string; readonly tier: string }) {
    const refused = this.before(`make ${name}`);
    if (refused === 'not-allowed') return { refused };
    this.#last += 1;
    const id = String(this.#last);
    this.made.push({ id, name, tier });
    if (this.losesAnswers) throw new RetryableError('502');
    return { id };
  }

  async renameRole(_: string, id: string, name: string): Promise<RoleOutcome> {
    const role = this.made.find((each) => each.id === id);
    if (role === undefined) return 'no-role';
    role.name = name;
    return 'done';
  }

  async deleteRole(_: string, id: string): Promise<RoleOutcome> {
    const at = this.made.findIndex((each) => each.id === id);
    if (at === -1) return 'no-role';
    if (this.before(`delete role ${this.made[at]?.name}`) === 'not-allowed') return 'not-allowed';
    this.made.splice(at, 1);
    return 'done';
  }

  async countHolders(): Promise<ReadonlyMap<string, number> | undefined> {
    const counts = this.#all().map(({ id }) => [id, this.holders(id).length] as const);
    return this.tellsCounts ? new Map(counts) : undefined;
  }

  /** A channel that somebody deletes, with its posts. */
  deleteChannel(channel: string): void {
    this.#deleted.add(channel);
    for (const post of this.posts) if (post.channel === channel) post.isDeleted = true;
  }

  async canPost(_: string, channel: string): Promise<true | ReportRefusal> {
    if (this.#deleted.has(channel)) return 'channel-gone';
    return this.closed.has(channel) ? 'channel-closed' : true;
  }

  losesAnswers = false;
  tellsCounts = true;

  #all(): NamedRole[] {
    return [...this.others, ...this.made.map(({ id, name }) => ({ id, name }))];
  }
}

import type { PlatformTraits } from '#base';
import type { Block, Card, CardEntry, Span } from '#command';
import type { ChangeOutcome, CommunityAdapter, Member, RoleOutcome, RuleBlocker } from '#gating';
import type { Tier } from '#reputation';

/** The made-up platform, which resembles Discord. */
export const PLATFORM: PlatformTraits = {
  id: 'made-up',
  label: 'Playground',
  grants: 'role',
  reportsTo: 'channel',
  pictures: 'option',
};

/** The playground's server: its id, and that of the moderator who runs commands. */
export const SERVER = '1';
export const MODERATOR = '2';
/** Who asks what members ask for themselves. */
export const MEMBER = '2004';

export const ROLES: readonly { id: string; name: string; blockers?: readonly RuleBlocker[] }[] = [
  { id: '1001', name: 'Titans' },
  { id: '1002', name: 'Whales' },
  { id: '1003', name: 'Sharks' },
  { id: '1004', name: 'Dolphins' },
  { id: '1005', name: 'Members' },
  { id: '1006', name: 'Moderators', blockers: ['role-with-power'] },
];

/** The id of the first role that the setup makes. */
const FIRST_MADE = 1101;

export const CHANNELS = [
  { id: '3001', name: 'moderators' },
  { id: '3002', name: 'general' },
  { id: '3003', name: 'roles' },
] as const;

interface MadeUpMember {
  readonly id: string;
  readonly name: string;
  /** The tier of their linked wallet; undefined if they've linked none. */
  readonly tier?: Lowercase<Tier>;
  /** Points above the tier's minimum. */
  readonly above: number;
  /** Points of a second linked wallet. */
  readonly second?: number;
  /** Roles that someone gave them by hand, beside those from rules. */
  readonly roles: readonly string[];
  /** They have their role from a rule that they used to meet, and were warned hours ago. */
  readonly fallen?: { readonly role: string; readonly toldHoursAgo: number };
  readonly isAdmin?: boolean;
  /** They don't show themselves there. */
  readonly isHidden?: true;
}

/** Members of every tier, with and without wallets, some with roles they no longer qualify for. */
export const MEMBERS: readonly MadeUpMember[] = [
  { id: MODERATOR, name: 'you', above: 0, roles: ['1006'], isAdmin: true },
  { id: '2001', name: 'nerea', tier: 'titan', above: 3_400, roles: [] },
  { id: '2002', name: 'kai', tier: 'titan', above: 120, roles: ['1001'] },
  { id: '2003', name: 'marina', tier: 'whale', above: 1_300, roles: [] },
  { id: '2004', name: 'tomas', tier: 'whale', above: 50, second: 450, roles: ['1002'] },
  { id: '2005', name: 'lucia', tier: 'shark', above: 1_200, second: 1_900, roles: [] },
  { id: '2006', name: 'sam', tier: 'shark', above: 100, roles: [], isHidden: true },
  { id: '2007', name: 'ines', tier: 'dolphin', above: 400, roles: ['1002'] },
  { id: '2008', name: 'olu', tier: 'dolphin', above: 200, roles: [], isHidden: true },
  { id: '2009', name: 'pau', tier: 'shrimp', above: 120, roles: [] },
  { id: '2010', name: 'yuki', above: 0, roles: ['1001'] },
  { id: '2011', name: 'dana', above: 0, roles: [] },
  {
    id: '2012',
    name: 'rosa',
    tier: 'shark',
    above: 2_100,
    roles: ['1002'],
    fallen: { role: '1002', toldHoursAgo: 25 },
  },
  {
    id: '2013',
    name: 'bruno',
    tier: 'dolphin',
    above: 900,
    roles: ['1003'],
    fallen: { role: '1003', toldHoursAgo: 10 },
  },
];

/** A server in memory, as gating sees one: only the roles that it grants and removes change. */
export class MadeUpServer implements CommunityAdapter {
  readonly #roles = new Map(MEMBERS.map(({ id, roles }) => [id, new Set(roles)]));
  /** Roles that the setup made, by id. */
  readonly #made = new Map<string, string>();
  #posted: Card | undefined;

  async inspect(
    _: string,
    grant: string,
  ): Promise<{ readonly name: string; readonly blockers: readonly RuleBlocker[] }> {
    const made = this.#made.get(grant);
    if (made !== undefined) return { name: made, blockers: [] };
    const role = ROLES.find(({ id }) => id === grant);
    if (role === undefined) return { name: '', blockers: ['no-role'] };
    return { name: role.name, blockers: role.blockers ?? [] };
  }

  async member(_: string, account: string): Promise<Member | undefined> {
    const member = MEMBERS.find(({ id }) => id === account);
    return member && this.#memberOf(member);
  }

  async moderates(_: string, account: string): Promise<boolean> {
    return MEMBERS.some(({ id, isAdmin }) => id === account && isAdmin === true);
  }

  readonly postsOnceFor = 0;

  async post(_: string, __: string, card: Card): Promise<{ readonly message: string }> {
    this.#posted = card;
    return { message: '1' };
  }

  /** What was posted since this was last asked; nobody reads its channels otherwise. */
  takePosted(): Card | undefined {
    const card = this.#posted;
    this.#posted = undefined;
    return card;
  }

  async editPost(): Promise<'done'> {
    return 'done';
  }

  async deletePost(): Promise<boolean> {
    // Nothing was posted.
    return true;
  }

  async *members(): AsyncGenerator<readonly Member[]> {
    yield MEMBERS.map((member) => this.#memberOf(member));
  }

  async give(_: string, account: string, grant: string): Promise<ChangeOutcome> {
    const roles = this.#roles.get(account);
    roles?.add(grant);
    return roles === undefined ? 'left' : 'done';
  }

  async take(_: string, account: string, grant: string): Promise<ChangeOutcome> {
    if (MEMBERS.find(({ id }) => id === account)?.isAdmin) return 'spared';
    const roles = this.#roles.get(account);
    roles?.delete(grant);
    return roles === undefined ? 'left' : 'done';
  }

  async listRoles() {
    const made = [...this.#made].map(([id, name]) => ({ id, name }));
    return { roles: [...ROLES.map(({ id, name }) => ({ id, name })), ...made], blockers: [] };
  }

  async makeRole(_: string, { name }: { readonly name: string }) {
    const id = String(FIRST_MADE + this.#made.size);
    this.#made.set(id, name);
    return { id };
  }

  async renameRole(_: string, role: string, name: string): Promise<RoleOutcome> {
    if (!this.#made.has(role)) return 'no-role';
    this.#made.set(role, name);
    return 'done';
  }

  async deleteRole(_: string, role: string): Promise<RoleOutcome> {
    for (const roles of this.#roles.values()) roles.delete(role);
    return this.#made.delete(role) ? 'done' : 'no-role';
  }

  async countHolders(): Promise<undefined> {
    return undefined;
  }

  async invite(): Promise<undefined> {
    return undefined;
  }

  async locale(): Promise<undefined> {
    return undefined;
  }

  async report(): Promise<true> {
    return true;
  }

  #memberOf({ id, name, isAdmin = false }: MadeUpMember): Member {
    return { id, name, grants: [...(this.#roles.get(id) ?? [])], isAdmin };
  }
}

/** Puts names into the card where a platform would resolve the ids of people and channels. */
export function withNames(card: Card): Card {
  const { file } = card;
  return {
    ...card,
    blocks: card.blocks.map(blockWithNames),
    ...(file !== undefined && { file: { ...file, text: csvWithNames(file.text) } }),
  };
}

function csvWithNames(text: string): string {
  const [header = '', ...rows] = text.split('\n');
  // The columns before this one contain no commas.
  const column = header.split(',').indexOf('member');
  const named = rows.map((row) => {
    const cells = row.split(',');
    const member = MEMBERS.find(({ id }) => id === cells[column]);
    return member === undefined ? row : cells.with(column, `@${member.name}`).join(',');
  });
  return [header, ...named].join('\n');
}

function blockWithNames(block: Block): Block {
  switch (block.kind) {
    case 'text':
    case 'progress':
      return { ...block, spans: block.spans.map(spanWithName) };
    case 'facts':
      return {
        ...block,
        facts: block.facts.map((fact) => ({ ...fact, value: fact.value.map(spanWithName) })),
      };
    case 'entries':
      return {
        ...block,
        entries: block.entries.map(
          (entry): CardEntry => ({
            ...entry,
            title: entry.title.map(spanWithName),
            detail: entry.detail.map(spanWithName),
          }),
        ),
      };
    default:
      return block;
  }
}

function spanWithName(span: Span): Span {
  if (typeof span === 'string') return span;
  if ('member' in span) {
    const member = MEMBERS.find(({ id }) => id === span.member);
    return member === undefined ? span : { bold: `@${member.name}` };
  }
  if ('channel' in span) {
    const channel = CHANNELS.find(({ id }) => id === span.channel);
    return channel === undefined ? span : { bold: `#${channel.name}` };
  }
  return span;
}

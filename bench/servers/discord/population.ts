import { JOINED, memberOf, type Pending, type User, user } from './world.ts';

/** The crowd's ids are below everyone else's, like those of accounts that are years old. */
const FIRST = 150_000_000_000_000_000n;

/** A guild's members and their roles. Members of a crowd are generated on demand. */
export class Population {
  #crowd = 0;
  #crowdRoles: (number: number) => readonly string[] = () => [];
  /** Named members, by id. */
  readonly #people = new Map<string, User>();
  /** Roles that differ from the initial ones. */
  readonly #roles = new Map<string, readonly string[]>();
  readonly #left = new Set<string>();
  /** Roles that were deleted, which takes them from everybody. */
  readonly #deleted = new Set<string>();
  /** When those joined who have come back. */
  readonly #joined = new Map<string, string>();
  #rejoined = 0;
  /** Who hasn't accepted the server's rules yet. */
  readonly #pending = new Map<string, Pending>();
  /** Until when members are timed out. */
  readonly #silent = new Map<string, string>();
  /** Who may not return. */
  readonly banned = new Set<string>();

  /** This many members without names. @param roles of the member with a number, from 0 */
  crowd(size: number, roles: (number: number) => readonly string[] = () => []): void {
    this.#crowd = size;
    this.#crowdRoles = roles;
  }

  /** The id of a member of the crowd. */
  idOf(number: number): string {
    return String(FIRST + BigInt(number));
  }

  /** @param pending whether the server has membership screening, which they haven't passed, or they're a guest */
  join(person: User, roles: readonly string[] = [], pending: Pending = false): void {
    if (this.banned.has(person.id)) throw new Error(`${person.username} is banned`);
    this.#people.set(person.id, person);
    if (this.#left.has(person.id)) {
      this.#rejoined += 1;
      const at = Date.parse(JOINED) + this.#rejoined * 86_400_000;
      this.#joined.set(person.id, new Date(at).toISOString().replace('Z', '000+00:00'));
    }
    this.#pending.set(person.id, pending);
    this.#roles.set(person.id, roles);
    this.#left.delete(person.id);
  }

  leave(account: string): void {
    this.#left.add(account);
  }

  /** They pass the membership screening, or are a guest no more. */
  accept(account: string): void {
    this.#pending.delete(account);
  }

  /** They may neither write nor use commands until then. @param until ISO 8601; null to end it */
  timeOut(account: string, until: string | null): void {
    if (until === null) this.#silent.delete(account);
    else this.#silent.set(account, until);
  }

  joinedAt(account: string): string {
    return this.#joined.get(account) ?? JOINED;
  }

  isPending(account: string): Pending {
    return this.#pending.get(account) ?? false;
  }

  rolesOf(account: string): readonly string[] {
    const number = this.#numberOf(account);
    const roles =
      this.#roles.get(account) ?? (number === undefined ? [] : this.#crowdRoles(number));
    return this.#deleted.size === 0 ? roles : roles.filter((each) => !this.#deleted.has(each));
  }

  /** A role is deleted. */
  deleteRole(role: string): void {
    this.#deleted.add(role);
  }

  change(step: 'give' | 'take', account: string, role: string): void {
    const others = this.rolesOf(account).filter((each) => each !== role);
    this.#roles.set(account, step === 'give' ? [...others, role] : others);
  }

  /** A member in Discord's format; undefined if they aren't one. */
  one(account: string) {
    const number = this.#numberOf(account);
    const person =
      this.#people.get(account) ??
      (number === undefined ? undefined : { ...user(`member${number}`), id: account });
    if (person === undefined || this.#left.has(account)) return undefined;
    const roles = this.rolesOf(account);
    const member = memberOf(person, roles, this.isPending(account), this.joinedAt(account));
    return { ...member, communication_disabled_until: this.#silent.get(account) ?? null };
  }

  /** Whoever is a member, or was one. */
  account(id: string): User | undefined {
    return this.#people.get(id);
  }

  /** Members with higher ids, in order. */
  after(id: bigint, limit: number) {
    const found: NonNullable<ReturnType<Population['one']>>[] = [];
    const add = (account: string) => {
      const member = this.one(account);
      if (member !== undefined && found.length < limit) found.push(member);
    };
    const start = id < FIRST ? 0 : Number(id - FIRST) + 1;
    for (let number = start; number < this.#crowd && found.length < limit; number++) {
      add(this.idOf(number));
    }
    if (found.length === limit) return found;
    const named = [...this.#people.keys()].filter((each) => BigInt(each) > id);
    for (const account of named.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))) add(account);
    return found;
  }

  #numberOf(account: string): number | undefined {
    const number = Number(BigInt(account) - FIRST);
    return number >= 0 && number < this.#crowd ? number : undefined;
  }
}

import { BoundedMap, nearest, sanitizeText, UserError } from '#base';
import {
  type Call,
  type Caller,
  type Card,
  type CardEntry,
  fitsButton,
  folded,
  isNone,
  meansSelf,
  NONE,
  type OptionSpec,
  optionNamed,
  optionsFor,
  shownWord,
  tierLabel,
  type ValueSuggestion,
} from '#command';
import { optionName, type Texts } from '#command/texts';
import { NAME_SERVICES, NO_NAMES, type VerifiedNames } from '#names';
import {
  type BadgeDefinition,
  type LeaderboardEntry,
  type Reading,
  SUGGESTED_FROM,
  type Urgency,
} from '#reputation';
import { pastedAddress, shortAddress, type Wallet, type WalletParser } from '#wallet';
import type { Command } from './command.ts';

/** In rows of five, which fit on both platforms. */
const WITH_BUTTON = 10;
/** A mistyped address isn't a name; the parser says what's wrong with it. */
const LONGER_THAN_NAMES = 30;

/** Where names are looked up. */
interface NameSources {
  /** Knows the community's own names. */
  readonly source: Reading;
  readonly names: VerifiedNames;
  readonly urgency: Urgency;
  readonly wallets: WalletParser;
}

/**
 * Replaces a name in the call by its address, or returns a card that asks which wallet is meant, for example
 * if a name service has another owner for the community's name. What looks like an address is never treated
 * as a name, because anyone may choose such a name.
 * @throws UserError `unknown-name` if there's no such name, or as `walletOf`; RetryableError
 */
export async function resolveNames(
  command: Command,
  call: Call,
  sources: NameSources,
  texts: Texts,
): Promise<Call | Card> {
  const { source, wallets } = sources;
  let settled = call;
  for (const { kind, name: option } of command.options) {
    const text = call.args[option]?.trim() ?? '';
    if (kind !== 'wallet' || text === '' || wallets.hasForm(pastedAddress(text))) continue;
    const meant: readonly Candidate[] = await source.named(text);
    const verified = await verifiedWallet(sources, text, meant.length > 0);
    const isKnown = meant.some(({ address }) => address === verified?.address);
    const all = verified === undefined || isKnown ? meant : [...meant, verified];
    const [first, ...others] = all;
    if (first === undefined) {
      if (text.length > LONGER_THAN_NAMES || /^0x[0-9a-f]*$/i.test(text)) continue;
      const member = command.options.find((each) => each.kind === 'member')?.name;
      // Typed where the chat offers no list of its members.
      if (text.startsWith('@') && member !== undefined) {
        const words = texts.errors.memberAsWallet(optionName(texts, member), shownWord(text));
        throw new UserError('invalid-parameter', words);
      }
      throw new UserError('unknown-name', texts.errors.unknownName(text));
    }
    if (others.length > 0) return choiceCard(command, call, option, all, texts);
    settled = { ...settled, args: { ...settled.args, [option]: first.address } };
  }
  return settled;
}

/**
 * Replaces `me` by the asker, for a member as for a wallet: no other wallet is meant by it, whatever its
 * owner calls it.
 */
export function resolveSelf(command: Command, call: Call, caller: Caller): Call {
  const member = command.options.find(({ kind }) => kind === 'member')?.name;
  const board = command.options.find(
    (each) => each.kind === 'choice' && each.choices.includes('me'),
  );
  const args = { ...call.args };
  for (const { kind, name } of command.options) {
    if ((kind !== 'wallet' && kind !== 'member') || !meansSelf(args[name] ?? '')) continue;
    delete args[name];
    if (member !== undefined) args[member] = caller.id;
    else if (board !== undefined) args[board.name] = 'me';
  }
  return { ...call, args };
}

/** A wallet that a name may mean: the community's, or a name service's. */
type Candidate = LeaderboardEntry | Wallet;

/** @param isOptional whether the community's name is enough, so that errors of the service don't matter */
async function verifiedWallet(
  { names, urgency }: NameSources,
  text: string,
  isOptional: boolean,
): Promise<Wallet | undefined> {
  if (!names.hasForm(text)) return undefined;
  try {
    return await names.walletOf(text, urgency);
  } catch (error) {
    if (isOptional && error instanceof UserError) return undefined;
    throw error;
  }
}

/** Where the other arguments leave no room for an address, there are no buttons: the entries have it. */
function choiceCard(
  command: Command,
  call: Call,
  option: string,
  namesakes: readonly Candidate[],
  texts: Texts,
): Card {
  const choices = namesakes.slice(0, WITH_BUTTON).map(({ address }) => ({
    label: shortAddress(address),
    call: { command: call.command, args: { ...call.args, [option]: address } },
  }));
  const buttons = choices.every((each) => fitsButton(each.call, command)) ? choices : [];
  return {
    tone: 'plain',
    title: texts.rep.which,
    blocks: [
      { kind: 'text', spans: [texts.rep.several] },
      { kind: 'entries', entries: namesakes.map((each) => entryOf(each, texts)) },
    ],
    actions: [buttons.slice(0, 5), buttons.slice(5)].filter((row) => row.length > 0),
    menu: undefined,
    footer: [],
    private: command.private,
  };
}

function entryOf(candidate: Candidate, texts: Texts): CardEntry {
  const { address } = candidate;
  if ('chain' in candidate) {
    return {
      title: [texts.rep.registered(NAME_SERVICES[candidate.chain])],
      detail: [{ code: address }],
    };
  }
  const { displayName, score, tier } = candidate;
  const points = texts.points(score, texts.number(score));
  return {
    title: [{ bold: displayName }, ` · ${tierLabel(tier, texts)} · ${points}`],
    detail: [{ code: address }],
  };
}

/** Badges whose names are compared for a likely typo. */
const COMPARED = 5_000;
/** Namesakes, and suggestions, that a sentence lists. */
const LISTED = 5;
/** Discord shows no more. */
const SUGGESTED = 25;

/**
 * Replaces the name of a badge in the call by its id, and what stands for no badge by NONE.
 * @param badges all; undefined if the source can't list them: then the text passes for an id
 * @throws UserError `invalid-parameter` for an unknown badge, and for a name that several have
 */
export function resolveBadges(
  command: Command,
  call: Call,
  badges: (() => Iterable<BadgeDefinition>) | undefined,
  texts: Texts,
): Call {
  let settled = call;
  for (const option of command.options) {
    const text = call.args[option.name]?.trim() ?? '';
    if (option.kind !== 'badge' || text === '') continue;
    const all = [...(badges?.() ?? [])];
    const isOfNone =
      isNone(option, text) && !all.some(({ id, name }) => isNamed(plain(text), id, name));
    if (!isOfNone && badges === undefined) continue;
    const known = knownWords(command, call, texts);
    const id = isOfNone ? NONE : badgeNamed(nameIn(text, option, all, texts), all, texts, known).id;
    settled = { ...settled, args: { ...settled.args, [option.name]: id } };
  }
  return settled;
}

/** The names of the options that may follow, as a stray word may be meant for any of them. */
function knownWords(command: Command, { args }: Call, texts: Texts): string {
  const options = optionsFor(command, args, texts).filter(
    // Where roles are typed at all, they're chosen from a list.
    ({ name, kind }) => kind === 'badge' || (kind !== 'role' && args[name] === undefined),
  );
  return options.map(({ name }) => optionName(texts, name)).join(', ');
}

/** Without the option's own name in front, `badge Early Adopter`, unless a badge is called so. */
function nameIn(
  text: string,
  option: OptionSpec,
  badges: readonly BadgeDefinition[],
  texts: Texts,
): string {
  const [label = '', ...name] = text.split(/\s+/u);
  const isLabelled = name.length > 0 && optionNamed([option], label, texts) !== undefined;
  const isWhole = badges.some((each) => isNamed(plain(text), each.id, each.name));
  return isLabelled && !isWhole ? name.join(' ') : text;
}

function badgeNamed(
  text: string,
  badges: readonly BadgeDefinition[],
  { errors }: Texts,
  known: string,
): BadgeDefinition {
  const wanted = plain(text);
  const exact = badges.find(({ id }) => id === text);
  const found = exact ? [exact] : badges.filter(({ id, name }) => isNamed(wanted, id, name));
  const [first, ...others] = found;
  if (first === undefined) {
    const names = badges.slice(0, COMPARED).flatMap(({ id, name }) => [name, id]);
    const meant = nearest(text, names) ?? names.find((each) => plain(each).includes(wanted));
    throw new UserError('invalid-parameter', errors.unknownBadge(shownWord(text), known, meant));
  }
  const [called, ...namesakes] = found.filter(({ name }) => name === text);
  if (called !== undefined && namesakes.length === 0) return called;
  if (others.length === 0) return first;
  const ids = found
    .slice(0, LISTED)
    .map(({ id }) => id)
    .join(', ');
  throw new UserError('invalid-parameter', errors.severalBadges(shownWord(text), ids));
}

/** Badges to offer while one is typed. */
export function suggestBadges(
  typed: string,
  badges: Iterable<BadgeDefinition>,
): readonly ValueSuggestion[] {
  const wanted = plain(typed);
  const found: ValueSuggestion[] = [];
  for (const { id, name } of badges) {
    if (found.length >= SUGGESTED) break;
    if (plain(name).includes(wanted) || plain(id).includes(wanted)) {
      found.push({ label: name, value: id });
    }
  }
  return found;
}

function isNamed(wanted: string, id: string, name: string): boolean {
  return plain(id) === wanted || plain(name) === wanted;
}

/** What phones make of a quote or a hyphen is none of a badge's name. */
const QUOTES = /["“”„«»'‘’‛`´]/g;

/** `early-adopter` and `Early Adopter` are the same to people. An emoji alone is a name, too. */
function plain(text: string): string {
  return folded(text.replaceAll(/[-_–—]/g, ' ').replaceAll(QUOTES, '')) || text.trim();
}

/** A suggested wallet: what to show, and its address. */
export interface Suggestion {
  readonly label: string;
  readonly address: string;
  /** The display name, if no other wallet has it. */
  readonly name?: string;
}

/** Discord shows no more (https://discord.com/developers/docs/interactions/application-commands#autocomplete). */
const MOST = 25;
/** Most characters of a name: Discord's choices have 100. */
const LABEL_MAX = 60;
const CALLERS = 10_000;
const WALLETS_A_CALLER = 5;

/** Each caller's recent wallets, for as many callers as fit; lost on restart. */
export class RecentWallets {
  readonly #addresses = new BoundedMap<string, string[]>(CALLERS);

  note(caller: Caller, address: string): void {
    const key = `${caller.platform}:${caller.id}`;
    const others = (this.#addresses.get(key) ?? []).filter((each) => each !== address);
    this.#addresses.set(key, [address, ...others].slice(0, WALLETS_A_CALLER));
  }

  of(caller: Caller): readonly string[] {
    return this.#addresses.get(`${caller.platform}:${caller.id}`) ?? [];
  }
}

/**
 * Recent wallets first, then those with exactly the typed name, then names and addresses from the
 * leaderboard that contain it, by rank.
 */
export async function suggestWallets(
  source: Reading,
  recent: readonly string[],
  typed: string,
  names: VerifiedNames = NO_NAMES,
): Promise<Suggestion[]> {
  const wanted = typed.trim().toLowerCase();
  const page = await source.leaderboard(SUGGESTED_FROM);
  const namesakes = wanted === '' ? [] : await source.named(typed);
  const suggestions = new Map<string, Suggestion>();
  for (const address of recent) {
    const entry = page.leaderboard.find((each) => each.address === address);
    const displayName = entry?.displayName ?? shortAddress(address);
    if (contains(address, displayName)) offer({ address, displayName });
  }
  for (const entry of namesakes) offer(entry);
  const verified = names.hasForm(typed.trim()) && (await names.keptWalletOf(typed.trim()));
  if (verified) {
    // Not by its name: the community's own goes first, see `resolveNames`.
    const { address } = verified;
    const label = `${sanitizeText(typed, LABEL_MAX)} · ${shortAddress(address)}`;
    if (!suggestions.has(address)) suggestions.set(address, { label, address });
  }
  for (const entry of page.leaderboard) {
    if (suggestions.size >= MOST) break;
    if (contains(entry.address, entry.displayName)) offer(entry);
  }
  const found = [...suggestions.values()].slice(0, MOST);
  return await Promise.all(found.map((each) => named(source, each)));

  function contains(address: string, displayName: string): boolean {
    return `${displayName} ${address}`.toLowerCase().includes(wanted);
  }

  function offer({ address, displayName }: { address: string; displayName: string }): void {
    if (suggestions.has(address)) return;
    const short = shortAddress(address);
    suggestions.set(
      address,
      displayName === short
        ? { label: short, address }
        : { label: `${displayName} · ${short}`, address, name: displayName },
    );
  }
}

/** Without its name if other wallets share that. */
async function named(source: Reading, { name, ...rest }: Suggestion): Promise<Suggestion> {
  if (name === undefined) return rest;
  const meant = await source.named(name);
  return meant.length === 1 && meant[0]?.address === rest.address ? { ...rest, name } : rest;
}

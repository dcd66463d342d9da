import type { ReportRefusal, RoleRefusal, RuleBlocker } from '#gating/community-adapter';
import type { PanelSettings } from '#gating/panel/panel-post';
import type { Rule } from '#gating/rules/rule';
import type { Tier } from '#reputation';

/** A tier's role, as far as its setup has come. */
export interface SetupStep {
  readonly tier: Tier;
  /** What the role is called in the end. */
  readonly name: string;
  /** `there`: somebody else made it. `planned`: not asked for yet; `asked`: it may exist, without an id. */
  readonly role: 'there' | 'planned' | 'asked' | 'made';
  /** Undefined until the platform has said it. */
  readonly id: string | undefined;
  /** Chosen before the rule is made, so that it's known for ours. */
  readonly rule: string;
  /** Set for an earlier setup: nothing more is made for it. */
  readonly isOld?: true;
  /** Rules that its own comes in place of, as somebody has deleted their role. */
  readonly replaces?: readonly ReplacedRule[];
  /** Why the undo leaves the role. */
  readonly use?: RoleUse;
}

/** A rule that a setup removes; its undo puts it back, unless a setup made it. */
export interface ReplacedRule {
  readonly rule: Rule;
  readonly isOurs: boolean;
}

/** What a role of a setup serves by now: another rule gives it, a person gave it to members, or nobody says who has it. */
export type RoleUse = 'ruled' | 'given' | 'untold';

/** What a setup makes, recorded before each step: so going on or undoing knows what is its own. */
export interface SetupRecord {
  /** In the name of each role until its own id is recorded: so a lost answer's role is recognised. */
  readonly id: string;
  /** The moderator who asked for it, or has last gone on with it. */
  readonly by: string;
  /** `ending`: it's being undone. */
  readonly status: 'running' | 'done' | 'ending';
  readonly steps: readonly SetupStep[];
  readonly turnsLadderOn: boolean;
  /** Where reports go by it, if it changes that, and where they went before. */
  readonly channel: string | undefined;
  readonly channelBefore: string | undefined;
  /** The panel that it posts; undefined if it posts none. */
  readonly panel?: PanelSettings | undefined;
  /** An earlier setup posted it: this one doesn't post it again. */
  readonly isPanelOld?: true;
  /** Set once an undo knows which roles it leaves. */
  readonly isLookedOver?: true;
}

/** How far a setup or its undo came. */
export interface SetupResult {
  readonly record: SetupRecord;
  /** Undefined if it's over; otherwise what's to be mended before it goes on. */
  readonly stopped?: readonly (RuleBlocker | RoleRefusal)[];
  /** Names of roles that an undo couldn't delete. */
  readonly stuck?: readonly string[];
  /** Whether members are barred from another role that is or was called as one of these. */
  readonly hasNamesake?: boolean;
  /** Why reports can't go where it wanted. */
  readonly channel?: ReportRefusal;
}

/** What a role is called until its id is recorded. */
export function nameInMaking({ id }: SetupRecord, { name }: SetupStep): string {
  return `${name} · ${id}`;
}

/** Whether a role was made by this setup, and its id may not be recorded. */
export function isInMaking({ id }: SetupRecord, name: string): boolean {
  return name.endsWith(` · ${id}`);
}

/** The record with a change of one step. */
export function withStep(record: SetupRecord, at: number, change: Partial<SetupStep>): SetupRecord {
  const steps = record.steps.map((step, i) => (i === at ? { ...step, ...change } : step));
  return { ...record, steps };
}

/** The ids of rules that setups made, and the rules of others that they replace. */
export function rulesIn({ steps }: SetupRecord): {
  readonly made: readonly string[];
  readonly replaced: readonly Rule[];
} {
  const replaced = steps.flatMap(({ replaces = [] }) => replaces);
  const rulesOf = (isOurs: boolean) =>
    replaced.filter((each) => each.isOurs === isOurs).map(({ rule }) => rule);
  // One of ours that was to be replaced may still be there.
  const made = [...steps.map(({ rule }) => rule), ...rulesOf(true).map(({ id }) => id)];
  return { made, replaced: rulesOf(false) };
}

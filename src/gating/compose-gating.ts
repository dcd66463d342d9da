import { knownElapsed, type Replica } from '#cluster';
import { FindingRecorder } from './decide/finding-recorder.ts';
import { SourceDoubts } from './decide/source-doubts.ts';
import { communityTexts } from './language.ts';
import { MemberAccess, type MemberAccessOptions } from './members/access.ts';
import { Barring } from './members/bars/barring.ts';
import { Bars } from './members/bars/bars.ts';
import { HandChanges, type HandChangesOptions } from './members/bars/hand-changes.ts';
import { MemberChecks } from './members/check-member.ts';
import { Admissions, type AdmissionsOptions, Invites } from './members/entry/invites.ts';
import { Erasure } from './members/erasure.ts';
import { MemberObserver } from './members/observe-member.ts';
import { Explanations } from './reports/explanations.ts';
import { ModeratorReports, type ModeratorReportsOptions } from './reports/moderator-reports.ts';
import { Previews, type PreviewsOptions } from './reports/preview.ts';
import { RoleRights } from './rules/role-rights.ts';
import { RuleBlockers } from './rules/rule-blockers.ts';
import { ChangeLog } from './runs/change-log.ts';
import { ChangeMaker } from './runs/change-maker.ts';
import { Executor } from './runs/executor.ts';
import { MemberScan } from './runs/member-scan.ts';
import { Passes, type PassesOptions } from './runs/passes.ts';
import { Planner, type PlannerOptions } from './runs/planner.ts';
import { ChangeReconciler } from './runs/reconcile-changes.ts';
import { RunRecovery } from './runs/run-recovery.ts';
import { RunRegistry, type RunRegistryOptions } from './runs/run-registry.ts';
import { Undoing } from './undo/undoing.ts';

export type PartsOptions = RunRegistryOptions &
  PlannerOptions &
  Pick<PreviewsOptions, 'patience' | 'log'> &
  Pick<PassesOptions, 'onRun' | 'onWarning' | 'ago'> &
  Pick<AdmissionsOptions, 'onAdmitted' | 'onRefused'> &
  Pick<MemberAccessOptions, 'walletsOf'> &
  Pick<HandChangesOptions, 'signal'> &
  Pick<ModeratorReportsOptions, 'monotonic'> & {
    readonly replica: Pick<Replica, 'isClockDoubted'>;
  };

export interface GatingParts {
  readonly planner: Planner;
  readonly runs: RunRegistry;
  readonly passes: Passes;
  readonly checks: MemberChecks;
  readonly undoing: Undoing;
  readonly recovery: RunRecovery;
  readonly previews: Previews;
  readonly blockers: RuleBlockers;
  readonly explanations: Explanations;
  readonly erasure: Erasure;
  readonly doubts: SourceDoubts;
  readonly admissions: Admissions;
  readonly rights: RoleRights;
  readonly bars: Bars;
  readonly barring: Barring;
  readonly hands: HandChanges;
  readonly invites: Invites;
  readonly reports: ModeratorReports;
  readonly access: MemberAccess;
}

/** The parts that runs over communities need. */
export function composeGating(given: PartsOptions): GatingParts {
  const options = { ...given, textsOf: communityTexts(given.adapterOf, given.store) };
  const { store, now, replica } = options;
  const elapsed = knownElapsed(replica, options.elapsed);
  const planner = new Planner({ ...options, elapsed });
  const runs = new RunRegistry(options);
  const rights = new RoleRights(options);
  const bars = new Bars(options);
  const recorder = new FindingRecorder({ ...options, bars });
  const changes = new ChangeLog(store, now);
  const memberScan = new MemberScan(options);
  const blockers = new RuleBlockers(options);
  const doubts = new SourceDoubts(options);
  const admissions = new Admissions(options);
  const reconciler = new ChangeReconciler({ ...options, changes, admissions });
  const observer = new MemberObserver({ ...options, reconciler, bars });
  const barring: Barring = new Barring({
    ...{ ...options, rights, bars, observer },
    readHands: (community) => hands.refresh(community),
  });
  const hands = new HandChanges({ ...options, barring });
  const maker = new ChangeMaker({
    ...{ ...options, bars, planner, changes, reconciler },
    ...{ admissions, memberScan, hands },
  });
  const executor = new Executor({ ...options, maker, reconciler });
  const base = {
    ...options,
    planner,
    runs,
    recorder,
    reconciler,
    executor,
    memberScan,
    blockers,
    admissions,
    doubts,
    bars,
    hands,
  };
  const passes = new Passes(base);
  const undoing = new Undoing(base);
  const checks = new MemberChecks(base);
  return {
    planner,
    runs,
    passes,
    checks,
    undoing,
    recovery: new RunRecovery({ ...base, passes, undoing }),
    previews: new Previews(base),
    blockers,
    explanations: new Explanations({ ...base, observer }),
    erasure: new Erasure({ ...options, bars }),
    doubts,
    admissions,
    rights,
    bars,
    barring,
    hands,
    invites: new Invites(options),
    reports: new ModeratorReports(base),
    access: new MemberAccess({ ...base, checks }),
  };
}

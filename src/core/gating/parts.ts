import { Admissions, type AdmissionsOptions } from '#core/gating/admissions';
import { Barring } from '#core/gating/barring';
import { Bars } from '#core/gating/bars';
import { ChangeLog } from '#core/gating/change-log';
import { ChangeMaker } from '#core/gating/change-maker';
import { Erasure } from '#core/gating/erasure';
import { Executor } from '#core/gating/executor';
import { Explanations } from '#core/gating/explanations';
import { FindingRecorder } from '#core/gating/finding-recorder';
import { Invites } from '#core/gating/invites';
import { communityTexts } from '#core/gating/language';
import { MemberLooks } from '#core/gating/looks';
import { ModeratorReports, type ModeratorReportsOptions } from '#core/gating/moderator-reports';
import { Passes, type PassesOptions } from '#core/gating/passes';
import { Planner, type PlannerOptions } from '#core/gating/planner';
import { Previews, type PreviewsOptions } from '#core/gating/preview';
import { RollCall } from '#core/gating/roll-call';
import { RunBook, type RunBookOptions } from '#core/gating/run-book';
import { RunRecovery } from '#core/gating/run-recovery';
import { Settler } from '#core/gating/settler';
import { Sightings } from '#core/gating/sightings';
import { SourceDoubts } from '#core/gating/source-doubts';
import { Troubles } from '#core/gating/troubles';
import { Undoing } from '#core/gating/undoing';

export type PartsOptions = RunBookOptions &
  PlannerOptions &
  Pick<PreviewsOptions, 'patience' | 'log'> &
  Pick<PassesOptions, 'onRun' | 'onWarning' | 'ago'> &
  Pick<AdmissionsOptions, 'onAdmitted' | 'onRefused'> &
  Pick<ModeratorReportsOptions, 'monotonic'>;

export interface GatingParts {
  readonly planner: Planner;
  readonly book: RunBook;
  readonly passes: Passes;
  readonly looks: MemberLooks;
  readonly undoing: Undoing;
  readonly recovery: RunRecovery;
  readonly previews: Previews;
  readonly troubles: Troubles;
  readonly explanations: Explanations;
  readonly erasure: Erasure;
  readonly doubts: SourceDoubts;
  readonly admissions: Admissions;
  readonly barring: Barring;
  readonly invites: Invites;
  readonly reports: ModeratorReports;
}

/** The parts that runs over communities need. */
export function partsOf(given: PartsOptions): GatingParts {
  const options = { ...given, textsOf: communityTexts(given.keeperOf) };
  const { store, now } = options;
  const planner = new Planner(options);
  const book = new RunBook(options);
  const bars = new Bars(options);
  const recorder = new FindingRecorder(store, bars, now);
  const changes = new ChangeLog(store, now);
  const rollCall = new RollCall(options);
  const troubles = new Troubles(options);
  const doubts = new SourceDoubts(options);
  const admissions = new Admissions(options);
  const settler = new Settler({ ...options, changes, admissions });
  const maker = new ChangeMaker({ ...options, bars, planner, changes, settler, admissions });
  const executor = new Executor({ ...options, maker, settler });
  const base = {
    ...options,
    planner,
    book,
    recorder,
    settler,
    executor,
    rollCall,
    troubles,
    admissions,
    doubts,
    bars,
  };
  const passes = new Passes(base);
  const undoing = new Undoing(base);
  const sightings = new Sightings(base);
  return {
    planner,
    book,
    passes,
    looks: new MemberLooks(base),
    undoing,
    recovery: new RunRecovery({ ...base, passes, undoing }),
    previews: new Previews(base),
    troubles,
    explanations: new Explanations({ ...base, sightings }),
    erasure: new Erasure(options),
    doubts,
    admissions,
    barring: new Barring({ ...base, sightings }),
    invites: new Invites(options),
    reports: new ModeratorReports(base),
  };
}

import { UserError } from '#base';

/** Cursors of `/v1/activities`: the public ids of activities. */
export const ACTIVITY_CURSOR_FORM = /^act_[A-Za-z0-9]{1,64}$/;

export function activityGone(): UserError {
  return new UserError(
    'cursor-gone',
    "The wallet doesn't have the activity that `after` names, or not any more: start over without `after`.",
  );
}

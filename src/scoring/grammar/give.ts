import { amount } from '#scoring/shape/amount';
import { optional, record, required, textOrMap } from '#scoring/shape/record';
import { integer, prose, text } from '#scoring/shape/scalar';
import { UINT256_MAX } from './hold.ts';
import { activityType, argument, days, id } from './names.ts';

/** The largest integer that a JSON number holds exactly. */
export const POINTS_MAX = 2n ** 53n - 1n;

/**
 * The limit for all of a wallet's activities under one rule, positive or negative. It keeps the
 * sums of 500 rules and eight million imported activities with maximum points exact.
 */
export const RULE_POINTS_MAX = 10n ** 12n;

export const give = record('give', 'What the rule gives for one event, or one day of holding.', {
  type: required(
    activityType,
    'The type of the activity; activities of one type add up for badges.',
  ),
  points: required(
    textOrMap(
      integer(-POINTS_MAX, POINTS_MAX),
      record('points', 'Points by an amount: each for every whole `per`, at most `most`.', {
        of: required(argument, 'The argument with the amount.'),
        per: required(
          amount(1n, UINT256_MAX),
          'The amount that counts as one: in base units, or as people say it beside them.',
        ),
        each: required(integer(-POINTS_MAX, POINTS_MAX), 'The points for each.'),
        most: optional(integer(0n, POINTS_MAX), 'The maximum points for one event.'),
      }),
    ),
    'Points for each, or by an amount.',
  ),
  cap: optional(
    text({
      accepts: 'N per P (such as 500 per 30d), or N ever',
      form: /^(0|[1-9]\d{0,15}) (ever|per [1-9]\d{0,4}d)$/,
      example: '500 per 30d',
    }),
    'The maximum points a wallet gets from this rule, in fixed windows of P days counted from 1970-01-01, or ever.',
  ),
  half_life: optional(days, 'Days after which half of the points are gone, in monthly steps.'),
  badge: optional(id, 'The badge earned by the first event.'),
  text: optional(prose(500), 'The text that members see, with {argument} for an event’s values.'),
});

import { ACTIVITY_DESCRIPTION_MAX, IMAGE_URL_MAX, NAME_MAX } from '#import';
import { BADGE_TIERS } from '#reputation';
import { optional, type RecordValue, record, required, variants } from '#scoring/shape/record';
import { choice, integer, prose, text } from '#scoring/shape/scalar';
import { POINTS_MAX } from './give.ts';
import { activityType, days, id } from './names.ts';

const countFields = {
  type: required(activityType, 'The type of activity to count.'),
  count: required(integer(1n, 1_000_000n), 'The number required.'),
  within: optional(days, 'Count only the last days.'),
};
const scoreFields = {
  score: required(integer(1n, POINTS_MAX), 'The score required.'),
};

export type NeedText = RecordValue<typeof countFields> | RecordValue<typeof scoreFields>;

const need = variants<NeedText>('what the badge needs', [
  { when: ['score'], shape: record('need: score', 'A score.', scoreFields) },
  { when: ['type'], shape: record('need: count', 'A number of activities.', countFields) },
]);

export const badge = record('badge', 'A badge, as in an import, and how to earn it.', {
  id: required(id, 'Its id, which must never change.'),
  name: required(prose(NAME_MAX), 'Its name.'),
  description: required(prose(ACTIVITY_DESCRIPTION_MAX, true), 'What it is for.'),
  tier: required(choice(BADGE_TIERS), 'How rare it is.'),
  imageUrl: optional(
    text({
      accepts: 'the https:// or http:// address of a picture',
      form: new RegExp(`^https?://\\S{1,${IMAGE_URL_MAX - 8}}$`),
    }),
    'Its picture. Without one, a picture is drawn from its initials, tier and id.',
  ),
  soulbound: required(choice(['true', 'false']), 'Whether it can’t be given to another wallet.'),
  need: optional(need, 'Earns the badge by a count of activities, or by a score.'),
  keep: optional(
    choice(['always', 'while']),
    'Whether it’s kept for good (the default), or lost when its requirement is no longer met.',
  ),
});

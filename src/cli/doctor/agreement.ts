import { agreedSettings, type Config } from '#app';
import { type CheckFinding, formatTime, ok, wallSeconds, warn } from '#base';
import { differing, settingsIn } from '#cluster';
import { PROGRAM_VERSION } from '#storage';

/** Whether all replicas, and these settings, are the same in what must be. @param notices what replicas say */
export function checkAgreement(config: Config, notices: readonly string[]): CheckFinding[] {
  const stated = settingsIn(notices);
  if (stated.length === 0) return [];
  const odd = stated.flatMap((each) => {
    const names = differing(
      each,
      stated.filter((other) => other !== each),
    );
    if (names.length === 0) return [];
    return [
      warn(
        'settings',
        `the replica that started at ${formatTime(each.since)} differs from the others in ${names.join(', ')}, and leaves roles, webhooks and chats to them. Start it with the same ${names.includes('version') ? 'version and settings' : 'settings'}.`,
      ),
    ];
  });
  const own = {
    ...{ replica: '', since: wallSeconds() },
    ...{ settings: agreedSettings(config), version: PROGRAM_VERSION },
  };
  const here = differing(own, stated);
  if (here.length > 0) {
    odd.push(
      warn(
        'settings',
        `${here.join(', ')} here differs from the running replicas: one started with these settings would stand aside.`,
      ),
    );
  }
  return odd.length > 0
    ? odd
    : [ok('settings', 'the same on all replicas, as far as they must be')];
}

import { byId, fill, say, show, warn, words } from './steps.js';

/**
 * Shows the code with what to do with it, for as long as it is good.
 * @param {{platform: string, handle: string}} account that must enter it
 */
export function showCode(code, { platform, handle }, seconds) {
  const until = Date.now() + seconds * 1000;
  const tell = () => {
    const left = Math.ceil((until - Date.now()) / 60_000);
    const sentence = words.type[platform];
    if (left > 0) byId('type').textContent = fill(sentence, `/link ${code}`, handle, left);
    else {
      clearInterval(timer);
      byId('code').textContent = '';
      show('used');
      warn(words.codeOver);
    }
  };
  byId('code').textContent = code;
  show('done');
  say(fill(words.code, [...code].join(' ')));
  const timer = setInterval(tell, 5_000);
  tell();
}

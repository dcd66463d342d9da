import { byId, fill, say, show, warn, words } from './steps.js';

/**
 * Shows the code, how to use it, and how long it's valid.
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

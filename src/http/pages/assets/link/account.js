import { byId, words } from './steps.js';

/**
 * Shows who the wallet will be linked to: first what's unique on the platform; the display name comes with a
 * note, because anyone can choose it.
 * @returns {{platform: string, handle: string}}
 */
export function showAccount({ platform, id, username, name, avatar }) {
  const handle = username ? `@${username}` : `${words.id} ${id}`;
  for (const [place, text] of Object.entries({ platform, id, name, handle })) {
    byId(place).textContent = text;
  }
  byId('alias').hidden = name === '' || name === username;
  byId('number').hidden = !username;
  const picture = new Image(40, 40);
  picture.alt = '';
  picture.referrerPolicy = 'no-referrer';
  picture.onload = () => byId('avatar').replaceChildren(picture);
  if (avatar) picture.src = avatar;
  byId('account').hidden = false;
  return { platform, handle };
}

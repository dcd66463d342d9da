/** Tabs of one browser share a link, and of one link only the text given out last counts. */
const tabs =
  typeof BroadcastChannel === 'function' ? new BroadcastChannel('fathom-link') : undefined;

/** Tells the other tabs which text this one has got. */
export function tellTabs(owner, text) {
  tabs?.postMessage({ owner, text });
}

/** @param {(owner: string, text: string) => void} listener told what other tabs have got */
export function hearTabs(listener) {
  tabs?.addEventListener('message', ({ data }) => listener(data.owner, data.text));
}

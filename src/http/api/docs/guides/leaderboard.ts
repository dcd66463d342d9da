import type { Guide } from './guide.ts';

export const leaderboardGuide: Guide = {
  id: 'leaderboard',
  programs: ({ baseUrl }) => [{ name: 'HTML', code: page(baseUrl) }],
};

/** Names are whatever people chose, so they are written as text, never as HTML. */
const page = (baseUrl: string) => `<!doctype html>
<meta charset="utf-8">
<title>Leaderboard</title>
<table>
  <thead><tr><th>Rank<th>Name<th>Score<th>Tier</tr></thead>
  <tbody id="board"></tbody>
</table>
<script type="module">
  const response = await fetch('${baseUrl}/leaderboard?limit=10');
  const { leaderboard } = await response.json();
  for (const { rank, displayName, score, tier } of leaderboard) {
    const row = document.getElementById('board').insertRow();
    for (const text of [rank, displayName, score, tier]) row.insertCell().textContent = text;
  }
</script>`;

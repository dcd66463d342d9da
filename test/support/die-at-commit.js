import { DatabaseSync } from 'node:sqlite';

// Loaded before a program: sends it a signal, usually that of kill -9, at the n-th of these moments: just
// before and just after each commit.
let left = Number(process.env.DIE_AT);
const step = () => {
  left -= 1;
  if (left === 0) process.kill(process.pid, process.env.DIE_BY ?? 'SIGKILL');
};
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  if (sql !== 'COMMIT') return exec.call(this, sql);
  step();
  exec.call(this, sql);
  step();
};

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('..', import.meta.url));

test('the pick of the README works as it stands', () => {
  const text = readFileSync(`${folder}README.md`, 'utf8');
  const [, code] = /```js\n(import \{ load, Tree \}[^]*?)```/.exec(text) ?? [];
  assert.ok(code.split('\n').length <= 22, 'about twenty lines');
  const command = ['--input-type=module', '--eval', code];
  const printed = execFileSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  assert.match(printed, /^card 0 9\n/);
  assert.match(printed, /x: 0.5, y: 0, z: 0 .*x: 0, y: 0, z: 1/);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, ProblemError, type FinishedMatch, type Turn } from "../src/index.js";
import { Replayer, load, names, pace } from "./replayer.js";

for (const name of names) {
  test(`the client follows the fixture ${name}`, { timeout: 60_000 }, async (t) => {
    const fixture = load(name);
    const replayer = new Replayer(fixture);
    const url = await replayer.listen();
    t.after(() => replayer.close());
    const chosen: string[] = [];
    const warnings = new Set<string>();
    const reported: FinishedMatch[] = [];
    const finish = new AbortController();

    async function choose(turn: Turn): Promise<string> {
      const key = `${turn.match}/${turn.number}`;
      chosen.push(key);
      const choice = fixture.choices[key];
      assert(choice, `the fixture has no choice for ${key}`);
      if (choice.finish) finish.abort();
      if (choice.delay_ms) await new Promise((resolve) => setTimeout(resolve, choice.delay_ms));
      return choice.move;
    }

    const client = new Client({ url, token: "kozyr_fixture", warn: (kind) => warnings.add(kind) });
    let finished: FinishedMatch[] = [];
    let failure: unknown;
    try {
      finished = await client.play(choose, {
        matches: fixture.play.matches,
        find: fixture.play.find,
        finish: finish.signal,
        onIllegal: fixture.play.on_illegal === "first" ? "first" : "throw",
        onFinished: (match) => reported.push(match),
        pace,
      });
    } catch (error) {
      failure = error;
    }

    assert.deepEqual(replayer.mistakes, []);
    const { error } = fixture.expect;
    if (error === null) assert.equal(failure, undefined);
    else {
      assert(failure instanceof ProblemError, String(failure));
      assert.deepEqual({ code: failure.code, status: failure.status }, error);
    }
    assert(replayer.done, "the client stopped before the end of the dialogue");
    assert.deepEqual(finished.map((match) => match.match), fixture.expect.finished);
    assert.deepEqual(reported, finished);
    assert.deepEqual(chosen.sort(), Object.keys(fixture.choices).sort());
    if (warnings.has("late")) warnings.add("near_deadline"); // On a slow machine both moves are late.
    for (const kind of fixture.expect.warnings) assert(warnings.has(kind), `no warning of kind ${kind}`);
  });
}

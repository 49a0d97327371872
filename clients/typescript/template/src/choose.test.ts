import assert from "node:assert/strict";
import { test } from "node:test";

import { cost } from "./choose.js";

test("a trump is dearer than any other card", () => {
  const durak = { trump: "S" };
  assert.ok(cost("attack 6S", durak) > cost("attack AH", durak));
});

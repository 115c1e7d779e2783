import { laws } from "@cahier/testkit/laws/ToolSourceLaws";
import { verify } from "@cahier/testkit/vitest";
import * as LawWorker from "./support/LawWorker.ts";

verify("The functions of a worker", laws, LawWorker.make);

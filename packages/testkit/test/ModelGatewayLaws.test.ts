import * as ModelGatewayLaws from "../src/laws/ModelGatewayLaws.ts";
import * as ModelGatewayMutants from "../src/mutants/ModelGatewayMutants.ts";
import { verify, verifyMutants } from "../src/vitest.ts";
import * as TurnGateway from "./TurnGateway.ts";

verify("A gateway over turns in memory", ModelGatewayLaws.laws, TurnGateway.makeHarness);
verifyMutants("ModelGateway", ModelGatewayLaws.laws, ModelGatewayMutants.mutants, TurnGateway.makeHarness);

/**
 * What people's words make of a registration. Pure.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { type McpRegistration, permissionOf } from "@cahier/domain/mcp/McpRegistration";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Predicate from "effect/Predicate";
import * as Struct from "effect/Struct";

/** What a user may state of a server, or a refusal that begins with `what`; the rest of a registration follows from what they do. */
export const settingsOf = (input: unknown, what: string): Effect.Effect<object, Fatal> => {
  if (!Predicate.isObject(input) || Array.isArray(input))
    return Effect.fail(fatal("mcp.registration_contract_invalid", `${what}: state it as a JSON object.`));
  const other = Object.keys(input).find((key) => !settings.has(key));
  return other === undefined
    ? Effect.succeed(input)
    : Effect.fail(
        fatal(
          "mcp.registration_contract_invalid",
          `${what}: ${quote(other)} cannot be stated. Only these can: ${[...settings].join(", ")}.`,
        ),
      );
};

/** A server that is reached otherwise: nothing that was known or permitted of it holds. */
export const reachedOtherwise = (registration: McpRegistration): McpRegistration => ({
  ...Struct.omit(registration, ["discovery"]),
  state: "paused",
  toolPermissions: Object.fromEntries(
    Object.entries(registration.toolPermissions).map(([name, permission]) => [name, { ...permission, isPaused: true }]),
  ),
});

/** The same without a tool; the same value where the tool is off already. */
export const withoutPermission = (registration: McpRegistration, name: string): McpRegistration =>
  permissionOf(registration, name) === undefined
    ? registration
    : {
        ...registration,
        toolPermissions: Object.fromEntries(
          Object.entries(registration.toolPermissions).filter(([other]) => other !== name),
        ),
      };

const settings = new Set(["displayName", "endpoint", "protocolVersion", "allowsSampling"]);

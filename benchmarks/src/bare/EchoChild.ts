/**
 * A child that says back what it is told, over the channel that Node has for that. It ends with its parent.
 */
process.on("message", (told) => process.send?.(told));
process.on("disconnect", () => process.exit(0));

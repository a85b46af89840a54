/** A reporter for node's tests: the files of which a test has failed, one in each line. */
export default async function* failed(events) {
  for await (const { type, data } of events) {
    if (type === "test:fail" && data.file !== undefined) {
      yield `${data.file}\n`;
    }
  }
}

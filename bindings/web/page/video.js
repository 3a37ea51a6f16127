// Videos of the stage.

/** Records a turn of the model around the vertical axis as a video, with what a picture shows; the clip plays on. */
export const turntable = (stage, seconds, options) => stage.alone(options, () => record(stage, seconds));

async function record(stage, seconds) {
  const recorder = new MediaRecorder(stage.canvas.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
  const chunks = [];
  recorder.addEventListener("dataavailable", ({ data }) => chunks.push(data));
  const [yaw, ...rest] = stage.view;
  const started = performance.now();
  recorder.start();
  for (let share = 0; share < 1;) {
    await new Promise(requestAnimationFrame);
    share = Math.min(1, (performance.now() - started) / 1000 / seconds);
    stage.view = [yaw + 360 * share, ...rest];
  }
  const stopped = new Promise((resolve) => { recorder.addEventListener("stop", resolve, { once: true }); });
  recorder.stop();
  await stopped;
  return new Blob(chunks, { type: "video/webm" });
}

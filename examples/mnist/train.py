"""Teach a small network to read digits, with parameter servers.

TF_CONFIG says who takes part, and as what this process does:

* the chief drives the workers, writes checkpoints to CHECKPOINT_DIR and exports the model; it goes on from the last
  checkpoint after a restart, and without any TF_CONFIG it does all the work itself;
* the evaluator measures each new checkpoint, until that of the last step;
* workers and parameter servers are plain TensorFlow servers: `server = true` in the job starts them without this file.
"""

import argparse
import importlib.util
import json
import os
import socket
import time

import numpy as np
import tensorflow as tf

options = argparse.ArgumentParser()
options.add_argument("--steps", type=int, default=1000)
options.add_argument("--export", default="/tmp/export")
STEPS, EXPORT = vars(options.parse_args()).values()
CHECKPOINTS = os.environ.get("CHECKPOINT_DIR", "/tmp/checkpoints")
CONFIG = json.loads(os.environ.get("TF_CONFIG", "{}"))
CLUSTER, TASK = CONFIG.get("cluster", {}), CONFIG.get("task", {}).get("type", "chief")
if CLUSTER.pop("evaluator", None):  # some targets list it, and the chief would wait for a server there
    os.environ["TF_CONFIG"] = json.dumps(CONFIG)
EVERY = 100  # steps between two checkpoints

# --- the data and the model -----------------------------------------------------------------------------------------

FONT = "111101101101111 010110010010111 111001111100111 111001111001111 101101111001001 111100111001111 111100111101111"
FONT += " 111001001001001 111101111101111 111101111001111"  # 3 by 5 dots for each digit


def digits(count, seed):
    """Pictures of 28 by 28 dots with a digit somewhere in the noise, and which digit it is."""
    random = np.random.default_rng(seed)
    font = np.array([list(dots) for dots in FONT.split()], "float32").reshape(10, 5, 3).repeat(4, 1).repeat(4, 2)
    images, labels = random.random((count, 28, 28), "float32"), random.integers(10, size=count)
    for image, label, (down, right) in zip(images, labels, random.integers(2, 7, (count, 2))):
        image[down : down + 20, right : right + 12] += font[label]
    return images.reshape(count, 784) / 2, labels


class Model(tf.Module):
    def __init__(self):
        self.weights = [tf.Variable(tf.random.normal(size, stddev=0.05)) for size in ([784, 64], [64, 10])]
        self.biases = [tf.Variable(tf.zeros(size)) for size in (64, 10)]

    @tf.function(input_signature=[tf.TensorSpec([None, 784], name="images")])
    def __call__(self, images):
        hidden = tf.nn.relu(images @ self.weights[0] + self.biases[0])
        return hidden @ self.weights[1] + self.biases[1]


def measured(path):
    """The model of a checkpoint, and the share of unseen digits that it reads right."""
    model = Model()
    tf.train.Checkpoint(model=model).restore(path).expect_partial()
    images, labels = digits(1000, seed=2)
    return model, float(np.mean(np.argmax(model(images), 1) == labels))


# --- the roles ------------------------------------------------------------------------------------------------------


def evaluate():
    for path in tf.train.checkpoints_iterator(CHECKPOINTS):
        print(f"evaluated {path}: accuracy {measured(path)[1]:.3f}", flush=True)
        if int(path.rpartition("-")[2]) >= STEPS:
            break


def wait_for(addresses):
    """Wait until every server answers: a new host may have no name yet."""
    for host, port in (address.rsplit(":", 1) for address in addresses):
        while True:
            try:
                socket.create_connection((host, int(port)), 5).close()
                break
            except OSError:
                time.sleep(1)


class Alone:
    """A ClusterCoordinator whose one worker is this process."""

    def create_per_worker_dataset(self, dataset):
        return dataset()

    def schedule(self, step, args):
        return step(*args)

    def join(self):
        pass

    def fetch(self, loss):
        return loss


def train():
    def dataset():
        return tf.data.Dataset.from_tensor_slices(digits(5000, seed=1)).shuffle(5000).repeat().batch(64)

    @tf.function
    def step(batches):
        images, labels = next(batches)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images)))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(0.05 * gradient)
        return loss

    if "ps" in CLUSTER:
        wait_for(CLUSTER["ps"] + CLUSTER["worker"])
        strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver())
        coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    else:
        strategy, coordinator = tf.distribute.get_strategy(), Alone()

    batches = iter(coordinator.create_per_worker_dataset(dataset))
    with strategy.scope():
        model = Model()
    checkpoint = tf.train.Checkpoint(model=model)
    manager = tf.train.CheckpointManager(checkpoint, CHECKPOINTS, max_to_keep=5, checkpoint_name="step")
    done = 0
    if manager.latest_checkpoint:
        checkpoint.restore(manager.latest_checkpoint)
        done = int(manager.latest_checkpoint.rpartition("-")[2])
        print(f"resumed at step {done}", flush=True)
    log = tf.summary.create_file_writer(f"{CHECKPOINTS}/log")
    curves = importlib.util.find_spec("tensorboard")  # TensorFlow 2.21 comes without it
    while done < STEPS:
        for _ in range(min(EVERY, STEPS - done)):
            loss = coordinator.schedule(step, (batches,))
            done += 1
        coordinator.join()
        loss = float(coordinator.fetch(loss))
        manager.save(checkpoint_number=done)
        if curves:
            with log.as_default():
                tf.summary.scalar("loss", loss, done)
        print(f"step {done}: loss {loss:.4f}", flush=True)
    model, accuracy = measured(manager.latest_checkpoint)
    tf.saved_model.save(model, EXPORT, signatures=model.__call__)
    print(f"exported to {EXPORT}: accuracy {accuracy:.3f}", flush=True)


evaluate() if TASK == "evaluator" else train()

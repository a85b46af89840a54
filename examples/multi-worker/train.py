"""Teach a small network to read digits, with workers in step: each has a copy of the model and a share of each batch.

TF_CONFIG says who takes part. Worker 0 writes the checkpoints to CHECKPOINT_DIR and exports the model. When a worker is
lost, all of them end; restarted, they go on from the last checkpoint.
"""

import argparse
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
CONFIG = json.loads(os.environ.get("TF_CONFIG", '{"cluster": {}, "task": {"index": 0}}'))
EVERY = 100  # steps between two checkpoints

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
        def variable(value):  # a change that each worker makes becomes the mean of all their changes
            return tf.Variable(value, aggregation=tf.VariableAggregation.MEAN)

        self.weights = [variable(tf.random.normal(size, stddev=0.05)) for size in ([784, 64], [64, 10])]
        self.biases = [variable(tf.zeros(size)) for size in (64, 10)]

    @tf.function(input_signature=[tf.TensorSpec([None, 784], name="images")])
    def __call__(self, images):
        hidden = tf.nn.relu(images @ self.weights[0] + self.biases[0])
        return hidden @ self.weights[1] + self.biases[1]


def wait_for(addresses):
    """Wait until every host has a name: a new one may have none yet."""
    for address in addresses:
        while True:
            try:
                socket.getaddrinfo(address.rsplit(":", 1)[0], None)
                break
            except OSError:
                time.sleep(1)


workers = CONFIG["cluster"].get("worker", [])
if len(workers) > 1:
    wait_for(workers)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
else:
    strategy = tf.distribute.MirroredStrategy()  # all GPUs of this machine
print(f"replicas in step: {strategy.num_replicas_in_sync}", flush=True)

data = tf.data.Dataset.from_tensor_slices(digits(5000, seed=1)).shuffle(5000).repeat().batch(128)
batches = iter(strategy.experimental_distribute_dataset(data))
with strategy.scope():
    model = Model()


@tf.function
def step(batches):
    def share(images, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images)))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(0.1 * gradient)
        return loss

    return strategy.reduce("MEAN", strategy.run(share, next(batches)), axis=None)


checkpoint = tf.train.Checkpoint(model=model)
manager = tf.train.CheckpointManager(checkpoint, CHECKPOINTS, max_to_keep=5, checkpoint_name="step")
done = 0
if manager.latest_checkpoint:
    checkpoint.restore(manager.latest_checkpoint)
    done = int(manager.latest_checkpoint.rpartition("-")[2])
    print(f"resumed at step {done}", flush=True)
first = CONFIG["task"]["index"] == 0
while done < STEPS:
    for _ in range(min(EVERY, STEPS - done)):
        loss = step(batches)
        done += 1
    print(f"step {done}: loss {float(loss):.4f}", flush=True)
    if first:
        manager.save(checkpoint_number=done)
if first:
    images, labels = digits(1000, seed=2)
    accuracy = np.mean(np.argmax(model(images), 1) == labels)
    tf.saved_model.save(model, EXPORT, signatures=model.__call__)
    print(f"exported to {EXPORT}: accuracy {accuracy:.3f}", flush=True)

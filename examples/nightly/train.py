"""The steps of a night: `train.py fetch|train|evaluate|export|notify`.

* fetch DATA writes the pictures of digits that the night is about, as a real one would copy them from somewhere;
* train DATA teaches a small network to read them. Checkpoints go to CHECKPOINT_DIR, from which it goes on after a
  restart, or in the next night;
* evaluate DATA RUNS fails unless the last checkpoint reads as many unseen digits right as it has to;
* export RUNS MODELS saves that model for serving, under a number that is higher than those before;
* notify says that the model of this night is not good enough.
"""

import argparse
import os
import sys
import time

import numpy as np

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


def fetch(options):
    os.makedirs(options.data, exist_ok=True)
    tonight = int(time.time()) // 86400
    for name, count, seed in (("train", 5000, tonight), ("test", 1000, tonight + 1_000_000)):
        images, labels = digits(count, seed)
        np.savez(f"{options.data}/{name}.new.npz", images=images, labels=labels)
        os.replace(f"{options.data}/{name}.new.npz", f"{options.data}/{name}.npz")  # never half a file
        print(f"fetched {count} pictures for {name}", flush=True)


def model_of(tf):
    """The network; TensorFlow is given, because two of the steps do without it."""

    class Model(tf.Module):
        def __init__(self):
            self.weights = [tf.Variable(tf.random.normal(size, stddev=0.05)) for size in ([784, 64], [64, 10])]
            self.biases = [tf.Variable(tf.zeros(size)) for size in (64, 10)]

        @tf.function(input_signature=[tf.TensorSpec([None, 784], name="images")])
        def __call__(self, images):
            hidden = tf.nn.relu(images @ self.weights[0] + self.biases[0])
            return hidden @ self.weights[1] + self.biases[1]

    return Model()


def loaded(tf, folder):
    """The model of the last checkpoint in a folder."""
    path = tf.train.latest_checkpoint(folder)
    if path is None:
        sys.exit(f"there is no checkpoint in {folder}")
    model = model_of(tf)
    tf.train.Checkpoint(model=model).restore(path).expect_partial()
    return model, path


def train(options):
    import tensorflow as tf

    data = np.load(f"{options.data}/train.npz")
    pictures = tf.data.Dataset.from_tensor_slices((data["images"], data["labels"]))
    batches = iter(pictures.shuffle(5000).repeat().batch(64))
    model = model_of(tf)
    folder = os.environ.get("CHECKPOINT_DIR", "/tmp/checkpoints")
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), folder, max_to_keep=3)
    manager.restore_or_initialize()

    @tf.function
    def step(images, labels):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images)))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(0.05 * gradient)
        return loss

    for done in range(1, options.steps + 1):
        loss = step(*next(batches))
        if done % 100 == 0 or done == options.steps:
            manager.save()
            print(f"step {done}: loss {float(loss):.4f}", flush=True)


def evaluate(options):
    import tensorflow as tf

    model, path = loaded(tf, options.runs)
    data = np.load(f"{options.data}/test.npz")
    right = float(np.mean(np.argmax(model(data["images"]), 1) == data["labels"]))
    print(f"{path} reads {right:.3f} of the pictures right; {options.least} are needed", flush=True)
    if right < options.least:
        sys.exit(1)


def export(options):
    import tensorflow as tf

    model, path = loaded(tf, options.runs)
    os.makedirs(options.models, exist_ok=True)
    number = max([int(name) for name in os.listdir(options.models) if name.isdigit()], default=0) + 1
    unfinished = f"{options.models}/.{number}"
    tf.saved_model.save(model, unfinished, signatures=model.__call__)
    os.rename(unfinished, f"{options.models}/{number}")
    print(f"exported {path} as {options.models}/{number}", flush=True)


def notify(options):
    print("the model of this night is not good enough: nothing was exported", flush=True)


parser = argparse.ArgumentParser()
steps = parser.add_subparsers(required=True)
FOLDERS = {fetch: ["data"], train: ["data"], evaluate: ["data", "runs"], export: ["runs", "models"], notify: []}
for function, names in FOLDERS.items():
    one = steps.add_parser(function.__name__)
    one.set_defaults(function=function)
    for name in names:
        one.add_argument(name)
    if function is train:
        one.add_argument("--steps", type=int, default=1000)
    if function is evaluate:
        one.add_argument("--least", type=float, default=0.9)
options = parser.parse_args()
options.function(options)

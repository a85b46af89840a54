"""A small real training that finds its peers by TF_CONFIG: ``train.py coordinator|mirrored EXPORT_FOLDER``.

``coordinator``: the chief of a parameter server job drives workers and parameter servers that are plain servers.
``mirrored``: every worker trains, in step with the others. Both fit y = x·w and export w.
"""

import json
import os
import socket
import sys
import time

MODE, EXPORT = sys.argv[1:3]
CLUSTER = json.loads(os.environ["TF_CONFIG"])["cluster"]
for address in (address for addresses in CLUSTER.values() for address in addresses):
    for _ in range(120):
        try:
            socket.getaddrinfo(address.rpartition(":")[0], None)
            break
        except OSError:  # the name of a pod that has just been made
            time.sleep(0.5)

import numpy as np  # noqa: E402 (TensorFlow takes seconds to load; the names are awaited before)
import tensorflow as tf  # noqa: E402

WEIGHTS = np.array([[1.0], [2.0], [3.0], [4.0]], "float32")
X = np.random.RandomState(0).rand(256, 4).astype("float32")
Y = X @ WEIGHTS


def coordinator():
    strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver())
    with strategy.scope():
        weights = tf.Variable(tf.zeros([4, 1]))
        optimizer = tf.keras.optimizers.legacy.SGD(0.4)
    driver = tf.distribute.coordinator.ClusterCoordinator(strategy)

    @tf.function
    def step():
        def replica():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.matmul(tf.constant(X), weights) - Y))
            optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
            return loss

        return strategy.run(replica)

    for _ in range(200):
        last = driver.schedule(step)
    driver.join()
    return float(last.fetch()), weights.numpy()


def mirrored():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    print(f"replicas in step: {strategy.num_replicas_in_sync}", flush=True)
    data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(64).repeat()
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, input_shape=(4,))])
        model.compile(loss="mse", optimizer=tf.keras.optimizers.SGD(0.4))
    history = model.fit(data, steps_per_epoch=100, epochs=1, verbose=0)
    return history.history["loss"][-1], model.get_weights()[0]


loss, weights = {"coordinator": coordinator, "mirrored": mirrored}[MODE]()
os.makedirs(EXPORT)
with open(os.path.join(EXPORT, "weights.json"), "w") as file:
    json.dump([round(float(weight), 3) for weight in weights[:, 0]], file)
print(f"done: loss {loss:.5f}", flush=True)

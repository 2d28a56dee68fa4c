"""A training that kills itself: once its workers have started, or early, while they have not come to the data yet.

    job_to_kill.py DATASET FOLDER METHOD IS_EARLY     FOLDER gets a file for each worker, whose name is its number
"""
import os
import pathlib
import signal
import sys
import time

WORKERS = 3


class Begin:
    def __init__(self, folder, is_early):
        self.folder = pathlib.Path(folder)
        self.is_early = is_early

    def __call__(self, worker):
        (self.folder / str(os.getpid())).touch()
        if self.is_early:
            time.sleep(3)


def main(dataset, folder, method, is_early):
    from shardmill.torch import ShardDataset
    loader = ShardDataset(dataset, batch_size=7, rank=0, world_size=1).loader(
        num_workers=WORKERS, worker_init_fn=Begin(folder, is_early == "True"), multiprocessing_context=method)
    batches = iter(loader._loader)
    if is_early != "True":
        next(batches)
    while len(list(pathlib.Path(folder).iterdir())) < WORKERS:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])

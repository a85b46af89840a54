FROM tensorflow/tensorflow:2.17.0-gpu
WORKDIR /app
COPY ["train.py", "train.py"]

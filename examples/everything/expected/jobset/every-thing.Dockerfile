FROM tensorflow/tensorflow:2.16.1-gpu
WORKDIR /app
COPY ["train.py", "/app/train.py"]
RUN pip install --no-cache-dir pandas

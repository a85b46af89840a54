FROM tensorflow/tensorflow:1.10.0
COPY ["main.py", "/app/main.py"]
ENTRYPOINT ["python", "/app/main.py"]

exec python train.py --part="$1"

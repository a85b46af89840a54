#!/bin/sh
slider create digits-nightly --appdef package --template appConfig.json --resources resources.json --queue research

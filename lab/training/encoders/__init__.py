"""Fine-tuning and calibration of encoders: the reader, the judge and the models that rest on it."""

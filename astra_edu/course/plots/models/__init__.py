"""Figures of models and devices: how both have grown, and how well a device's arrays are used."""

"""Faults planted into healthy programs: does the doctor name them, and stay silent without them?"""

"""Keep a strict stand-in for Route 53, DynamoDB, S3, STS and DNS, for demonstrations and tests.

Nothing of the enactor imports this package except the commands that start it: production installs carry no moto.
The zone model below it is written apart from the enactor's own kernel, so that one fault cannot blind both.
"""

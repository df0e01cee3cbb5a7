"""The plan table's items of one fleet, as a backup, a restore and a person in DynamoDB's console see them."""

from typing import Any

import boto3

from .world import World


class Rows:
    """The items of a fleet."""

    def __init__(self, world: World) -> None:
        self._table = world.environment["ENACTOR_TABLE"]
        self._pk = {"S": f"fleet#{world.fleet}"}
        self._client: Any = boto3.Session().client("dynamodb")

    def all(self) -> list[Any]:
        found = self._client.query(
            TableName=self._table, KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": self._pk}
        )
        return list(found["Items"])

    def restore(self, backup: list[Any]) -> None:
        """Put the items of a backup in place of what is there."""
        for item in self.all():
            self.lose(item["sk"]["S"])
        for item in backup:
            self.put(item)

    def put(self, item: Any) -> None:
        self._client.put_item(TableName=self._table, Item=item)

    def lose(self, sk: str) -> None:
        """Take one item away."""
        self._client.delete_item(TableName=self._table, Key={"pk": self._pk, "sk": {"S": sk}})

    def manifest(self, generation: int) -> Any:
        return next(item for item in self.all() if item["sk"]["S"] == f"plan#{generation:012d}")

    def chunk(self, generation: int) -> Any:
        """Return the first chunk of a plan; the plans of these tests have one."""
        sk = f"chunk#{self.manifest(generation)['upload']['S']}#0000"
        return next(item for item in self.all() if item["sk"]["S"] == sk)

    def lose_chunks(self, generation: int) -> None:
        self.lose(self.chunk(generation)["sk"]["S"])

    def lose_plan(self, generation: int) -> None:
        """Take a plan away, as a collect without any check would."""
        self.lose_chunks(generation)
        self.lose(f"plan#{generation:012d}")

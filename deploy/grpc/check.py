"""Checks a running service with Python's gRPC tools: health, and reflection v1 and v1alpha.

    check.py HOST:PORT
"""
import sys

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

WANTED = "patio.vehicle.v1.VehicleService"


def reflect(channel, version):
    """Returns the names of the services by one version of the reflection protocol; both versions have the same wire format."""
    ask = channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    asked = [
        reflection_pb2.ServerReflectionRequest(list_services=""),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol=WANTED),
    ]
    listed, described = list(ask(iter(asked), timeout=5))
    names = [service.name for service in listed.list_services_response.service]
    assert WANTED in names and "grpc.health.v1.Health" in names, names
    assert b"VehicleService" in described.file_descriptor_response.file_descriptor_proto[0]
    return names


def main():
    with grpc.insecure_channel(sys.argv[1]) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        for service in ["", WANTED]:
            status = health.Check(health_pb2.HealthCheckRequest(service=service), timeout=5).status
            assert status == health_pb2.HealthCheckResponse.SERVING, (service, status)
        try:
            health.Check(health_pb2.HealthCheckRequest(service="patio.nothing"), timeout=5)
            raise AssertionError("the health of an unknown service must be NOT_FOUND")
        except grpc.RpcError as refused:
            assert refused.code() == grpc.StatusCode.NOT_FOUND, refused.code()
        assert reflect(channel, "v1") == reflect(channel, "v1alpha")
        assert reflection_pb2_grpc.ServerReflectionStub(channel)
    print("grpc: health and reflection v1 and v1alpha answer")


if __name__ == "__main__":
    main()

namespace Grpc.AspNetCore.Server;

/// <summary>What gRPC says of its endpoints; recognized by its name, as the package need not be there.</summary>
internal sealed class GrpcMethodMetadata;

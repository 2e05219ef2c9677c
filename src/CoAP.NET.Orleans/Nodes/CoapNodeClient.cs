using Orleans.Runtime;
using Orleans.Runtime.Services;

namespace CoAP.NET.Orleans;

/// <summary>Addresses the service of each node. Thread-safe.</summary>
internal sealed class CoapNodeClient(IServiceProvider services) : GrainServiceClient<ICoapNodeService>(services)
{
    public ICoapNodeService At(SiloAddress silo) => GetGrainService(silo);
}

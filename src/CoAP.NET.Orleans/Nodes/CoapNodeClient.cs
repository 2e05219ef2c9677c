using Orleans.Runtime;
using Orleans.Runtime.Services;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>Addresses the service of each node. Thread-safe.</summary>
internal sealed class CoapNodeClient(IServiceProvider services) : GrainServiceClient<ICoapNodeService>(services)
{
    public ICoapNodeService At(SiloAddress silo) => GetGrainService(silo);
}

using Orleans.Runtime;
using Orleans.Runtime.Services;

namespace CoAP.NET.Orleans;

/// <summary>Addresses the service of each node. Thread-safe.</summary>
/// <param name="services">The services of the silo.</param>
internal sealed class CoapNodeClient(IServiceProvider services) : GrainServiceClient<ICoapNodeService>(services)
{
    /// <summary>Returns the service of a silo.</summary>
    /// <param name="silo">The silo.</param>
    public ICoapNodeService At(SiloAddress silo) => GetGrainService(silo);
}

using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>Creates the store of the cluster from the services of the application.</summary>
internal sealed class ClusterStoreFactory(Func<IServiceProvider, ICoapClusterStore> make, bool isInMemory)
{
    /// <summary>Whether the state ends with the process.</summary>
    public bool IsInMemory => isInMemory;

    public ICoapClusterStore Make(IServiceProvider services) => make(services);
}

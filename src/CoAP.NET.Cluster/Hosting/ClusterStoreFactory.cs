namespace CoAP.NET.Cluster;

/// <summary>Makes the store of the cluster of an application.</summary>
internal sealed class ClusterStoreFactory(Func<IServiceProvider, ICoapClusterStore> make)
{
    public ICoapClusterStore Make(IServiceProvider services) =>
        make(services) ?? throw new InvalidOperationException("What UseStore was given has made no store.");
}

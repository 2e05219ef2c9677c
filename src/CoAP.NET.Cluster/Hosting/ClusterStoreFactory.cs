namespace CoAP.NET.Cluster;

/// <summary>Creates the store of an application's cluster.</summary>
internal sealed class ClusterStoreFactory(Func<IServiceProvider, ICoapClusterStore> make)
{
    public ICoapClusterStore Make(IServiceProvider services) =>
        make(services) ?? throw new InvalidOperationException("The callback of UseStore returned null. Return a store.");
}

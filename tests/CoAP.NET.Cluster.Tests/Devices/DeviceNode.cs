namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>A node and its server.</summary>
internal sealed record DeviceNode(CoapCluster Cluster, CoapServer Server, CoapAddress Address) : IAsyncDisposable
{
    public ICoapDevices Devices => Cluster.Devices;

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        await Cluster.DisposeAsync();
    }
}

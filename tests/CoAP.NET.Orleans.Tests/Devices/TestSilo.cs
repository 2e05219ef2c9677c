using CoAP.NET.Cluster.Maps;
using CoAP.NET.Orleans.Devices;

namespace CoAP.NET.Orleans.Tests.Devices;

/// <summary>A silo and the server of its node.</summary>
internal sealed class TestSilo(IHost host, CoapServer server, CoapAddress address, IPEndPoint outside) : IAsyncDisposable
{
    public CoapAddress Address => address;

    /// <summary>Where it accepts applications outside of the silos.</summary>
    public IPEndPoint Outside => outside;

    public CoapServer Server => server;

    public ICoapDevices Devices => host.Services.GetRequiredService<ICoapDevices>();

    public DeviceGateway Gateway => host.Services.GetRequiredService<DeviceGateway>();

    public SiloDeviceRouter Places => host.Services.GetRequiredService<SiloDeviceRouter>();

    public CoapCluster Cluster => host.Services.GetRequiredService<CoapCluster>();

    public CoapNodeId Node => Cluster.Self.Id;

    public SiloAddress Silo => host.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress;

    public IGrainFactory Grains => host.Services.GetRequiredService<IGrainFactory>();

    /// <summary>
    /// Ends without handing anything over. A silo that goes on declares it dead, as it may not have been able to say so itself.
    /// </summary>
    public async Task KillAsync(TestSilo survivor)
    {
        SiloAddress address = Silo;
        await host.Services.GetRequiredService<Silo>().StopAsync(new CancellationToken(canceled: true));
        await survivor.DeclareDeadAsync(address);
    }

    private Task<bool> DeclareDeadAsync(SiloAddress silo) => host.Services.GetRequiredService<IClusterMembershipService>().TryKill(silo);

    public async ValueTask DisposeAsync()
    {
        await server.DisposeAsync();
        await host.StopAsync();
        await ((IAsyncDisposable)host).DisposeAsync();
    }
}

using CoAP.NET.Cluster.Maps;
using CoAP.NET.Orleans.Devices;
using Orleans.Serialization;

namespace CoAP.NET.Orleans.Tests.Devices;

/// <summary>A silo and the server of its node.</summary>
internal sealed class TestSilo(IHost host, CoapServer server, CoapAddress address) : IAsyncDisposable
{
    public CoapAddress Address => address;

    public CoapServer Server => server;

    public ICoapDevices Devices => host.Services.GetRequiredService<ICoapDevices>();

    public DeviceGateway Gateway => host.Services.GetRequiredService<DeviceGateway>();

    public Serializer Serializer => host.Services.GetRequiredService<Serializer>();

    public RemoteSiloDeviceClient Calls => host.Services.GetRequiredService<RemoteSiloDeviceClient>();

    public SiloDeviceRouter Places => host.Services.GetRequiredService<SiloDeviceRouter>();

    public CoapCluster Cluster => host.Services.GetRequiredService<CoapCluster>();

    public CoapNodeId Node => Cluster.Self.Id;

    /// <summary>The silos that Orleans believes to be active.</summary>
    public IEnumerable<SiloAddress> Members =>
        host.Services.GetRequiredService<ISiloStatusOracle>().GetApproximateSiloStatuses(onlyActive: true).Keys;

    public SiloAddress Silo => host.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress;

    public IGrainFactory Grains => host.Services.GetRequiredService<IGrainFactory>();

    /// <summary>Counts the grains of devices at this silo.</summary>
    public async Task<int> CountGrainsAsync() => (await Grains.GetGrain<IManagementGrain>(0).GetSimpleGrainStatistics([Silo]))
        .Where(type => type.GrainType.Contains(nameof(DeviceGrain)))
        .Sum(type => type.ActivationCount);

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

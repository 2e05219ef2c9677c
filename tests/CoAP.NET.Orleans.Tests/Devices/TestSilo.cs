using CoAP.NET.Transports;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Orleans.Tests.Devices;

/// <summary>A silo and the server of its node.</summary>
internal sealed class TestSilo(IHost host, CoapServer server, CoapAddress address) : IAsyncDisposable
{
    public CoapAddress Address => address;

    public CoapServer Server => server;

    public ICoapDevices Devices => host.Services.GetRequiredService<ICoapDevices>();

    public DeviceGateway Gateway => host.Services.GetRequiredService<DeviceGateway>();

    public SiloDevices Places => host.Services.GetRequiredService<SiloDevices>();

    public CoapNodeId Node => host.Services.GetRequiredService<CoapCluster>().Self.Id;

    public SiloAddress Silo => host.Services.GetRequiredService<ILocalSiloDetails>().SiloAddress;

    public IGrainFactory Grains => host.Services.GetRequiredService<IGrainFactory>();

    /// <summary>Ends the silo without a word to its grains and the others.</summary>
    public Task KillAsync() => host.Services.GetRequiredService<Silo>().StopAsync(new CancellationToken(canceled: true));

    public async ValueTask DisposeAsync()
    {
        await server.DisposeAsync();
        await host.StopAsync();
        await ((IAsyncDisposable)host).DisposeAsync();
    }
}

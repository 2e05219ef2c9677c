using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Orleans.Devices;
using CoAP.NET.Orleans.Nodes;
using CoAP.NET.Orleans.Tests.Silos;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;
using Orleans.Hosting;
using Orleans.Metadata;
using Orleans.Serialization;
using Orleans.Serialization.TypeSystem;

namespace CoAP.NET.Orleans.Tests.Messages;

/// <summary>The services of a silo that is not started: what others get to know of its grains, and how it writes messages.</summary>
public sealed class SiloServices : IAsyncDisposable
{
    private readonly IHost _host;

    public SiloServices()
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddCoapState(options => options.Secrets = [SiloNode.Secret]).UseMemory();
        builder.UseOrleans(silo => silo
            .ConfigureEndpoints(IPAddress.Loopback, EndpointOptions.DEFAULT_SILO_PORT, gatewayPort: 0)
            .UseDevelopmentClustering(new IPEndPoint(IPAddress.Loopback, EndpointOptions.DEFAULT_SILO_PORT))
            .AddCoap()
            .WithSmallDirectoryCache());
        _host = builder.Build();
    }

    public GrainManifest Manifest => _host.Services.GetRequiredService<IClusterManifestProvider>().LocalGrainManifest;

    public Serializer Serializer => _host.Services.GetRequiredService<Serializer>();

    public TypeConverter Types => _host.Services.GetRequiredService<TypeConverter>();

    public GrainInterfaceTypeResolver Interfaces => _host.Services.GetRequiredService<GrainInterfaceTypeResolver>();

    public GrainId[] ServicesOf(SiloAddress silo) =>
    [
        _host.Services.GetRequiredService<CoapNodeClient>().At(silo).GetGrainId(),
        _host.Services.GetRequiredService<CoapDeviceClient>().At(silo).GetGrainId(),
    ];

    /// <summary>Makes the service that other silos call.</summary>
    internal NodeGrainService Serve(INodeService node) => new(ServicesOf(SiloAddress.New(IPAddress.Loopback, 1, 1))[0],
        _host.Services.GetRequiredService<Silo>(), _host.Services.GetRequiredService<ILoggerFactory>(), node);

    public ValueTask DisposeAsync() => ((IAsyncDisposable)_host).DisposeAsync();
}

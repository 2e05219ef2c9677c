using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Orleans.Tests.Silos;
using Microsoft.Extensions.Logging;
using Orleans.Configuration;

namespace CoAP.NET.Orleans.Tests.Devices;

/// <summary>Silos in this process with one store, and devices that have sessions with them over a network in memory.</summary>
internal sealed class SiloWorld : IAsyncDisposable
{
    private static int s_worlds;

    private readonly string _name = $"world-{Interlocked.Increment(ref s_worlds)}";
    private readonly CoapMemoryCluster _memory = new(TimeProvider.System);
    private readonly SharedMembershipTable _members = new();
    private readonly List<TestSilo> _silos = [];
    private readonly List<CoapServer> _devices = [];

    public InMemoryNetwork Network { get; } = new(TimeProvider.System);

    /// <summary>The secret of the cluster.</summary>
    public static ReadOnlyMemory<byte> Secret { get; } = Enumerable.Repeat((byte)1, 32).ToArray();

    /// <summary>Starts a silo.</summary>
    /// <param name="configure">Changes what the silo does with devices.</param>
    public async Task<TestSilo> StartSiloAsync(Action<CoapDeviceOptions>? configure = null)
    {
        int number = _silos.Count + 1;
        IPEndPoint gateway = new(IPAddress.Loopback, LoopbackPort.FindFree());
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddLogging(logging => logging.ClearProviders());
        builder.Services.AddCoapState(options =>
            {
                options.Secrets = [Secret];
                options.Lease = FromHours(1);
                options.Writer.StopTimeout = FromSeconds(1);

                // A silo of a test ends without handing over its slots.
                options.Moves.LeaveTimeout = TimeSpan.Zero;
                options.Moves.RelayTime = TimeSpan.Zero;
            })
            .UseMemory(_memory)
            .DevicesAre(peer => (peer.Identity as CoapDtlsPeerIdentity)?.PskIdentity, configure);
        builder.UseOrleans(silo =>
        {
            silo.Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = (_name, _name));
            silo.ConfigureEndpoints(IPAddress.Loopback, LoopbackPort.FindFree(), gateway.Port);
            silo.AddCoap().WithSmallDirectoryCache();

            // However busy the machine is, nobody is taken for dead, and nobody ends this process.
            silo.Configure<ClusterMembershipOptions>(options =>
                (options.MaxProbeTimeout, options.ProbeTimeout) = (FromMinutes(1), FromMinutes(1)));
        });
        builder.Services.AddSingleton<IMembershipTable>(_members);
        builder.Services.AddSingleton<IFatalErrorHandler, NoFatalErrors>();
        IHost host = builder.Build();
        try
        {
            await host.StartAsync();
        }
        catch
        {
            await ((IAsyncDisposable)host).DisposeAsync();
            throw;
        }

        CoapCluster cluster = host.Services.GetRequiredService<CoapCluster>();
        CoapAddress address = InMemoryNetwork.Address($"192.0.2.{number}:5684");
        CoapServer server = new(cluster.KeepState(new CoapEndpointOptions()));
        server.Endpoint.AddTransport(Network.CreateTransport("coaps", address));
        server.MapGet("/hello", () => CoapResults.Text("hello"));
        await server.StartAsync();
        cluster.Attach(server);
        TestSilo started = new(host, server, address, gateway);
        _silos.Add(started);

        // What is known of devices is stored under a fence.
        await Eventually.IsTrueAsync(() => CoapSlot.All.All(slot => cluster.Map[slot].Fence.IsSet));
        return started;
    }

    /// <summary>Starts an application outside of the silos.</summary>
    /// <param name="gateway">The silo that it connects to.</param>
    public async Task<IHost> StartClientAsync(TestSilo gateway)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddLogging(logging => logging.ClearProviders());
        builder.UseOrleansClient(client => client
            .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = (_name, _name))
            .UseStaticClustering(gateway.Outside)
            .AddCoap(Secret));
        IHost host = builder.Build();
        await host.StartAsync();
        return host;
    }

    /// <summary>Starts a device, which serves <c>/state</c> and counts the requests to it.</summary>
    /// <param name="name">Its name.</param>
    public async Task<TestDevice> StartDeviceAsync(string name)
    {
        CoapAddress address = InMemoryNetwork.Address($"198.51.100.{_devices.Count + 1}:5684");
        CoapServer server = new();
        server.Endpoint.AddTransport(Network.CreateTransport("coaps", address, CoapTestIdentity.Psk(name)));
        TestDevice device = new(server);
        _devices.Add(server);
        await server.StartAsync();
        return device;
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapServer device in _devices)
        {
            await device.DisposeAsync();
        }

        foreach (TestSilo silo in Enumerable.Reverse(_silos))
        {
            await silo.DisposeAsync();
        }
    }

    private sealed class NoFatalErrors : IFatalErrorHandler
    {
        public bool IsUnexpected(Exception exception) => true;

        public void OnFatalException(object? sender = null, string? context = null, Exception? exception = null)
        {
            // The process has other silos.
        }
    }
}

using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Transports.Tcp;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Simulation.Machine;

/// <summary>
/// The server of all cases: <c>/hi</c>, <c>/big</c> (1,000 bytes), <c>/n</c> (a number, observable). Its options too, for clients.
/// </summary>
internal sealed class MachineServer : IAsyncDisposable
{
    private int _number;

    private MachineServer(CoapServer server, LogCounts log)
    {
        Server = server;
        Log = log;
    }

    public CoapServer Server { get; }

    public LogCounts Log { get; }

    public CoapCounters Counters => Server.Counters;

    /// <summary>Options with a log that counts, and timers that are short enough for a run of seconds.</summary>
    public static CoapEndpointOptions Options(LogCounts log, bool isPortable = false) => new()
    {
        LoggerFactory = log,
        Transports =
        {
            UdpEngine = isPortable ? CoapSocketEngine.Portable : CoapSocketEngine.Auto,
            TcpEngine = isPortable ? CoapSocketEngine.Portable : CoapSocketEngine.Auto,
        },
        Processes = { StopGracePeriod = TimeSpan.FromMilliseconds(100) },
        Parameters = CoapTransmissionParameters.Default with
        {
            AckTimeout = TimeSpan.FromMilliseconds(200),
            MaxRetransmit = 4,
            DefaultLeisure = TimeSpan.FromMilliseconds(100)
        },
    };

    /// <summary>Makes one; it listens when <see cref="StartAsync"/> is called.</summary>
    public static MachineServer Make(bool isPortable, params string[] addresses)
    {
        LogCounts log = new();
        MachineServer made = new(new CoapServer(Options(log, isPortable)), log);
        foreach (string address in addresses)
        {
            made.Server.Listen(address);
        }

        string big = new('x', 1000);
        made.Server.MapGet("/hi", () => "hi").AllowMulticast();
        made.Server.MapGet("/big", () => big);
        made.Server.MapGet("/n", () => $"{Volatile.Read(ref made._number)}").Observable();
        return made;
    }

    public Task StartAsync() => Server.StartAsync();

    /// <summary>Where it listens for a scheme.</summary>
    public string UriOf(string scheme) => Server.LocalEndpoints.First(uri => uri.Scheme == scheme).Origin();

    /// <summary>Where it listens for a scheme.</summary>
    public IPEndPoint EndPointOf(string scheme) => IPEndPoint.Parse(UriOf(scheme)[(scheme.Length + 3)..]);

    /// <summary>The resource <c>/n</c> changes.</summary>
    /// <returns>Its new state.</returns>
    public string Change()
    {
        string now = $"{Interlocked.Increment(ref _number)}";
        Server.Notify("/n");
        return now;
    }

    public ValueTask DisposeAsync() => Server.DisposeAsync();
}

using System.Globalization;
using CoAP.NET.Execution;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>One of several servers of one address, with a clock and a source of randomness of its own.</summary>
internal sealed class SharedNode : IAsyncDisposable
{
    public static readonly byte[] Secret = [.. Enumerable.Range(1, 32).Select(static number => (byte)number)];

    public static readonly DateTimeOffset Start = new(2030, 1, 1, 12, 0, 0, TimeSpan.Zero);

    public SharedNode(int seed, TimeSpan ahead = default, byte[]? secret = null, DateTimeOffset? start = null,
        PreviousSecret? previous = null)
    {
        Clock = new VirtualClock((start ?? Start) + ahead);
        Options = new CoapEndpointOptions
        {
            TimeProvider = Clock,
            Pipeline = { Random = new VirtualRandom((ulong)seed) },
            Processes = { SharedSecret = secret ?? Secret, PreviousSecret = previous },
        };
        Options.Limits.Peers.TrustedPrefixes.Clear();
    }

    public VirtualClock Clock { get; }

    public CoapEndpointOptions Options { get; }

    public DirectTransport Transport { get; } = new();

    public CoapServer Server => field ??= new CoapServer(Options);

    public List<TimeSpan?> Ages { get; } = [];

    /// <summary>Serves <c>/lock</c>, which asks for requests of an age.</summary>
    public async Task StartAsync(TimeSpan freshness)
    {
        Server.MapPut("/lock", request =>
        {
            Ages.Add(request.EchoAge);
            return CoapResults.Changed();
        }).RequireFreshness(freshness);
        Server.Endpoint.AddTransport(Transport);
        await Server.StartAsync();
    }

    /// <summary>A request for <c>/lock</c> with an Echo, or none.</summary>
    public static string Put(int messageId, string echo)
    {
        string options = echo.Length == 0 ? "" : $"dd{252 - 11 - 13:x2}{(echo.Length / 2) - 13:x2}{echo}";
        return string.Create(CultureInfo.InvariantCulture, $"4103{messageId:x4}42b46c6f636b{options}ff30");
    }

    /// <summary>Whether the node carries a request out; if not, it is asked for an Echo.</summary>
    public bool Serves(int messageId, string echo, out string answer, CoapAddress? from = null)
    {
        Transport.TakeSent();
        Transport.Receive(from ?? Peer, Put(messageId, echo));
        answer = Assert.Single(Transport.TakeSent());
        return answer.StartsWith("6144", Ordinal);
    }

    public static CoapAddress Peer { get; } = CoapAddress.FromIPv4(0xc0000201, 40_000);

    public ValueTask DisposeAsync() => Server.DisposeAsync();
}

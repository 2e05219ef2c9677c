using System.Threading.Tasks.Dataflow;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Execution;
using CoAP.NET.Resources;
using CoAP.NET.Uris;

namespace CoAP.NET.Tests.Resources;

/// <summary>The Resource stage alone: exchanges are offered to it and its replies are kept. The stages around it are not there.</summary>
internal sealed class ResourceStage : ICoapRouteBuilder
{
    private readonly CoapChannel _channel;

    public ResourceStage(CoapThreadScheduler? scheduler = null, CoapLimits? limits = null, HandlerThreadLimiter? threads = null)
    {
        Limits = limits ?? new CoapLimits();
        Environment = new CoapEnvironment
        {
            TimeProvider = Time,
            Random = new CoAP.NET.Testing.VirtualRandom(1),
            Scheduler = scheduler ?? Scheduler,
            Limits = Limits,
            Counters = Counters,
            Logger = Logger,
            ParametersOf = _ => CoapTransmissionParameters.Default,
        };
        Served = new RunningRequestCounter(Limits.Requests.MaxServed) { Threads = threads };
        Block = new ResourceInboundBlock(Environment, Table, Served);
        Block.LinkTo(Replies);
        CoapAddress address = CoapAddress.FromIPv4(0x7f000001, 5683);
        _channel = new CoapChannel(new CoapShard(0, Environment), new NowhereTransport(), 0, address, address,
            CoapTransmissionParameters.Default);
    }

    public CoapLimits Limits { get; }

    public ManualTime Time { get; } = new();

    public ManualScheduler Scheduler { get; } = new();

    public CoapCounters Counters { get; } = new();

    public ListLogger Logger { get; } = new();

    public CoapEnvironment Environment { get; }

    public RouteTable Table { get; } = new();

    public RunningRequestCounter Served { get; }

    public ResourceInboundBlock Block { get; }

    public ReplySink Replies { get; } = new();

    public CoapRouteGroup Routes => Table.Root;

    public static CoapMessage Message(CoapMethod method, string path, params string[] queries)
    {
        CoapMessage message = new(method);
        foreach (string segment in UriEncoding.SplitPath(path))
        {
            message.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(UriEncoding.Decode(segment, nameof(path))));
        }

        foreach (string query in queries)
        {
            message.Options.Add(OptionNumber.UriQuery, Encoding.UTF8.GetBytes(query));
        }

        return message;
    }

    public CoapExchange Exchange(CoapMessage message, bool multicast = false) =>
        new(_channel, null, new CoapRequestContext(message, _channel) { IsMulticast = multicast });

    /// <summary>Offers a request and gives its answer, now or later.</summary>
    public Task<CoapResult> SendAsync(CoapMessage message, bool multicast = false) => SendAsync(Exchange(message, multicast));

    public Task<CoapResult> SendAsync(CoapExchange exchange)
    {
        Task<CoapResult> answer = Replies.For(exchange);
        Assert.True(Block.Post(exchange));
        return answer;
    }

    public Task<CoapResult> SendAsync(CoapMethod method, string path, params string[] queries) => SendAsync(Message(method, path, queries));

    /// <summary>Offers a request whose answer must be there when the offer returns.</summary>
    public CoapResult Send(CoapMessage message, bool multicast = false) => Send(Exchange(message, multicast));

    public CoapResult Send(CoapExchange exchange)
    {
        Task<CoapResult> answer = SendAsync(exchange);
        Assert.True(answer.IsCompleted, "The answer was not offered on the offering thread.");
        return answer.Result;
    }

    public CoapResult Send(CoapMethod method, string path, params string[] queries) => Send(Message(method, path, queries));

    public CoapResult Get(string path, params string[] queries) => Send(CoapMethod.Get, path, queries);

    private sealed class NowhereTransport : CoapDatagramTransport
    {
        public override string Scheme => "coap";

        public override IReadOnlyList<CoapAddress> LocalAddresses => [];

        public override ValueTask StartAsync(ICoapDatagramTransportContext context, CancellationToken cancellationToken) => default;

        public override void Send(CoapDatagram datagram) => datagram.Dispose();

        public override ValueTask DisposeAsync() => default;
    }
}

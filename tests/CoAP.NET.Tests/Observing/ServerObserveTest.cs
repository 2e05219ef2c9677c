using CoAP.NET.Observing.Server;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Observing;

/// <summary>A server whose observers are raw datagrams: the base of tests of Observe on the server side.</summary>
public abstract class ServerObserveTest : EndpointTest
{
    private ushort _messageId = 0x1000;

    /// <summary>The state of the resource that most tests observe.</summary>
    protected string State { get; set; } = "0";

    /// <summary>How often its handler ran.</summary>
    protected int Runs { get; private set; }

    protected CoapRouteHandlerBuilder MapState(string path = "/obs", bool confirmable = true,
        TimeSpan? maxAge = null, bool probe = true) =>
            Server.MapGet(path, () =>
            {
                Runs++;
                return CoapResults.Text(State);
            }).Observable(observe =>
            {
                observe.MaxAge = maxAge ?? observe.MaxAge;
                observe.Confirmable = confirmable;
                observe.Probe = probe;
            });

    /// <summary>Changes the state and lets the server notice.</summary>
    protected void Change(CoapRouteHandlerBuilder route, string state)
    {
        State = state;
        route.Notify();
        Settle();
    }

    protected void Settle() => Clock.Advance(FromMilliseconds(5));

    protected void Pass(double seconds) => Clock.Advance(FromSeconds(seconds));

    private protected CoapMessage? Ask(CoapAddress peer, string path, uint? observe = 0, string token = "4a",
        CoapMethod method = CoapMethod.Get, CoapMessageType type = CoapMessageType.Confirmable, Action<CoapMessage>? more = null)
    {
        CoapMessage request = new(method) { Type = type, MessageId = ++_messageId, Token = new CoapToken(Wire.Hex(token)) };
        foreach (string segment in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            request.Options.Add(OptionNumber.UriPath, Encoding.UTF8.GetBytes(segment));
        }

        if (observe is { } value)
        {
            request.Options.AddUInt(OptionNumber.Observe, value);
        }

        more?.Invoke(request);
        TakeNew();
        Transport.Receive(peer, CoapDatagramSerializer.Default.Serialize(request));
        return TakeNew().Select(sent => sent.Message).FirstOrDefault(message => message.Token == request.Token);
    }

    private protected CoapMessage Register(CoapAddress peer, string path = "/obs", string token = "4a",
        CoapMessageType type = CoapMessageType.Confirmable)
    {
        CoapMessage answer = Ask(peer, path, 0, token, type: type)!;
        Assert.Equal(CoapCode.Content, answer.Code);
        Assert.NotNull(NumberOf(answer));
        return answer;
    }

    private protected List<(CoapAddress Peer, CoapMessage Message)> TakeNew() =>
        [.. Transport.TakeAll().Select(sent => (sent.Remote, CoapDatagramSerializer.Default.Deserialize(sent.Bytes)))];

    private protected CoapMessage TakeOne()
    {
        (CoapAddress peer, CoapMessage message) = Assert.Single(TakeNew());
        return message;
    }

    /// <summary>The next message that leaves, on whatever thread.</summary>
    private protected async Task<CoapMessage> AnswerAfterAsync(Action cause)
    {
        TakeNew();
        TaskCompletionSource<byte[]> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, bytes) => sent.TrySetResult(bytes);
        cause();
        CoapMessage message = CoapDatagramSerializer.Default.Deserialize(await Within(sent.Task));
        Transport.OnSent = null;
        TakeNew();
        return message;
    }

    private protected void Acknowledge(CoapAddress peer, CoapMessage message) => Transport.Receive(peer, $"6000{message.MessageId:x4}");

    private protected void Reset(CoapAddress peer, CoapMessage message) => Transport.Receive(peer, $"7000{message.MessageId:x4}");

    private protected static uint? NumberOf(CoapMessage message) =>
        message.Options.TryGetUInt(OptionNumber.Observe, out uint number) ? number : null;

    private protected static string TextOf(CoapMessage message) => Encoding.UTF8.GetString(message.Payload.Span);

    private protected static CoapAddress PeerNumber(int i) => CoapAddress.FromIPv4(0x0a000000u + (uint)i, 40_000);

    /// <summary>Everything that observers cost is given back.</summary>
    private protected void AssertNobody()
    {
        Assert.Equal(0, Server.ObserverCount);
        foreach (CoapChannel channel in Server.Endpoint.Pipelines.SelectMany(pipeline => pipeline.Channels.All()))
        {
            Assert.Equal(0, channel.Pins);
            Assert.Null(PeerObservers.Of(channel));
        }

        Assert.All(Server.Endpoint.Pipelines, pipeline => Assert.Equal(0, pipeline.Observers.Count));
    }

    /// <summary>Whether a sequence number is later than another (RFC 7641 section 3.4, without the clock).</summary>
    private protected static bool IsLater(uint first, uint second) =>
        (first < second && second - first < 1 << 23) || (first > second && first - second > 1 << 23);
}

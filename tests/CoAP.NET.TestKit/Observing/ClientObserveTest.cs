using CoAP.NET.Exchanges;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Observing;

/// <summary>
/// A client that observes on virtual time, and a server that is what the test says: the base of tests of Observe on the client side.
/// </summary>
public abstract class ClientObserveTest : ClientTest
{
    private protected const string Uri = "coap://192.0.2.1/obs";

    private static readonly CoapDatagramSerializer s_serializer = new();
    private ushort _nextId = 0x7000;

    private protected CoapEndpoint Endpoint => Client.Endpoint;

    private protected int StandingRequests =>
        Endpoint.Pipelines.Sum(static pipeline => pipeline.Channels.All().Sum(ExchangeLayer.MultiResponseTokenCountOf));

    private protected int Pins => Endpoint.Pipelines.Sum(static pipeline => pipeline.Channels.All().Sum(static channel => channel.Pins));

    private protected int Timers =>
        Endpoint.Pipelines.Sum(static pipeline => pipeline.Shard.Wheel.Count - (pipeline.Channels.WatchesIdle ? 1 : 0));

    private protected static CoapMessage Read(string hex) => s_serializer.Deserialize(Wire.Hex(hex));

    private protected static string Text(CoapResponse? response) => response?.GetText() ?? "(null)";

    /// <summary>Registers: the server answers with Observe in the acknowledgement.</summary>
    private protected async Task<(CoapObservation Observation, CoapMessage Registration)> RegisterAsync(
        uint number = 1, string payload = "one", uint? maxAge = null, CoapObservationOptions? options = null, string uri = Uri,
        string? etag = null)
    {
        Task<CoapObservation> registering = Client.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), options);
        CoapMessage request = TakeRequest();
        Answer(request, number, payload, maxAge, etag);
        return (await Within(registering), request);
    }

    private protected static async Task ReadUntilAsync(CoapObservation observation, string payload)
    {
        await foreach (CoapResponse response in observation.ReadAllAsync())
        {
            if (response.GetText() == payload)
            {
                return;
            }
        }
    }

    private protected CoapMessage TakeRequest() => Read(Assert.Single(Transport.TakeSent()));

    private protected CoapMessage[] TakeRequests() =>
        [.. Transport.TakeSent().Select(Read).Where(static message => message.Code.IsRequest)];

    /// <summary>A response in the acknowledgement.</summary>
    private protected void Answer(CoapMessage request, uint? observe, string payload, uint? maxAge = null, string? etag = null,
        CoapCode? code = null, CoapAddress? from = null) =>
            Receive(CoapMessageType.Acknowledgement, request.MessageId, request.Token, observe, payload, maxAge, etag, code, from);

    /// <summary>A response of its own. Returns its Message ID.</summary>
    private protected ushort Notify(
        CoapToken token, uint? observe, string payload, uint? maxAge = null, bool confirmable = true, string? etag = null,
        CoapCode? code = null, CoapAddress? from = null)
    {
        ushort id = _nextId++;
        Receive(confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable, id, token, observe, payload, maxAge, etag, code,
            from);
        return id;
    }

    /// <summary>A response of its own, which is acknowledged at once and with nothing else.</summary>
    private protected void NotifyAcknowledged(CoapToken token, uint? observe, string payload, uint? maxAge = null, string? etag = null,
        CoapCode? code = null)
    {
        ushort id = Notify(token, observe, payload, maxAge, true, etag, code);
        Transport.HasSent($"6000{id:x4}");
    }

    private protected void Receive(
        CoapMessageType type, ushort id, CoapToken token, uint? observe, string payload, uint? maxAge, string? etag, CoapCode? code,
        CoapAddress? from)
    {
        CoapMessage message = new(code ?? CoapCode.Content)
        {
            Type = type,
            MessageId = id,
            Token = token,
            Payload = Encoding.UTF8.GetBytes(payload)
        };
        message.Options.Observe = observe;
        message.Options.MaxAge = maxAge is { } seconds ? FromSeconds(seconds) : null;
        if (etag is not null)
        {
            message.Options.ETag = new CoapETag(Wire.Hex(etag));
        }

        Transport.Receive(from ?? s_server, s_serializer.Serialize(message));
    }

    private protected void Receive(CoapMessage message, CoapAddress? from = null) =>
        Transport.Receive(from ?? s_server, s_serializer.Serialize(message));

    private protected void ResetMessage(CoapMessage request) => Transport.Receive(s_server, $"7000{request.MessageId:x4}");

    /// <summary>Lets time pass until a request leaves, and gives it; nothing else may leave before.</summary>
    private protected (CoapMessage Request, TimeSpan After) NextRequest(TimeSpan max)
    {
        TimeSpan start = Clock.Elapsed;
        while (Clock.Elapsed - start <= max)
        {
            if (Transport.TakeSent() is { Length: > 0 } sent)
            {
                return (Read(Assert.Single(sent)), Clock.Elapsed - start);
            }

            TimeSpan step = FromMilliseconds(100);
            Clock.Advance(step);
        }

        Assert.Fail($"No request within {max}.");
        return default;
    }

    /// <summary>That nothing is left of observations: no token, no pinned peer, no timer, no count.</summary>
    private protected void AssertFreed()
    {
        Assert.Equal(0, Endpoint.Observed.Count);
        Assert.Equal(0, Endpoint.Observed.Registrations);
        Assert.Equal(0, StandingRequests);
        Assert.Equal(0, Pins);
    }
}

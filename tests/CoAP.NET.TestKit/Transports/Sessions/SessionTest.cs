using CoAP.NET.Observing.Server;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Transports.Sessions;

/// <summary>An endpoint on virtual time with sessions over datagrams; peers are hexadecimal digits.</summary>
[Collection(VirtualTimeCollection.Name)]
public abstract class SessionTest : EndpointTest
{
    protected const string Target = "coaps://192.0.2.1/x";

    /// <summary>CON GET /x with Message ID 1 and no token.</summary>
    protected const string Get = "40010001b178";

    /// <summary>CON GET /obs with Observe 0, token 10 and Message ID 0101.</summary>
    protected const string Register = "4101010110" + "60" + "536f6273";

    private static readonly CoapDatagramSerializer s_serializer =
        new(new CoapSerializerOptions { MaxTokenLength = CoapToken.MaxExtendedLength });

    private protected static readonly CoapAddress s_elsewhere = CoapAddress.FromIPv4(0xc6336405, 7000);
    private protected static readonly CoapAddress s_third = CoapAddress.FromIPv4(0xc6336406, 7001);

    private protected DirectSessionTransport Sessions { get; set; } = new();

    private protected CoapEndpoint Endpoint => Server.Endpoint;

    private protected CoapCounters Counters => Endpoint.Counters;

    protected string State { get; set; } = "0";

    private protected async Task StartSessionsAsync()
    {
        Endpoint.AddTransport(Sessions);
        await Server.StartAsync();
    }

    private protected CoapRouteHandlerBuilder MapState(bool confirmable = true) =>
        Server.MapGet("/obs", () => CoapResults.Text(State)).Observable(observe => observe.Confirmable = confirmable);

    private protected void Change(CoapRouteHandlerBuilder route, string state)
    {
        State = state;
        route.Notify();
        Clock.Advance(FromMilliseconds(20));
    }

    private protected static CoapMessage Read(string hex) => s_serializer.Deserialize(Wire.Hex(hex));

    private protected static string Write(CoapMessage message) => Wire.Hex(s_serializer.Serialize(message));

    private protected static string Ask(DirectSession session, string hex)
    {
        session.TakeSent();
        session.Receive(hex);
        return Assert.Single(session.TakeSent());
    }

    /// <summary>ACK or RST to a message, by its hexadecimal digits.</summary>
    private protected static string Acknowledge(string hex) => "6000" + hex[4..8];

    private protected static string Reset(string hex) => "7000" + hex[4..8];

    /// <summary>The piggybacked 2.05 to a Confirmable request.</summary>
    private protected static string Content(string request, string payload = "31") =>
        $"6{request[1]}45{request[4..8]}{request.Substring(8, 2 * Convert.ToInt32(request[1..2], 16))}ff{payload}";

    private protected static bool IsRequest(string hex) => Convert.ToInt32(hex[2..4], 16) is > 0 and < 32;

    private protected static bool IsPing(string hex) => hex.StartsWith("4000", Ordinal);

    /// <summary>Answers every request that we send in sessions of ours with 2.05.</summary>
    private protected void AnswerAll() =>
        Sessions.Answers = static (_, hex) => IsRequest(hex) ? Content(hex) : IsPing(hex) ? Reset(hex) : null;

    /// <summary>
    /// Waits until other threads have brought something about, and have come to the end of what they do: one that has just sent something
    /// may still have the turn to send on its session.
    /// </summary>
    private protected async Task UntilAsync(Func<bool> condition)
    {
        await Eventually.IsTrueAsync(condition);
        await SettleAsync();
    }

    /// <summary>Nothing is left of a session that has ended: no timer, no observer, no message, no body.</summary>
    private protected static void AssertFreed(CoapChannel channel)
    {
        Assert.True(channel.IsForgotten);
        Assert.Null(PeerObservers.Of(channel));
        Assert.Equal(0, channel.Pins);
        Assert.Equal(0, channel.Messaging.Running);
        Assert.Null(channel.Messaging.Sending);
        Assert.Equal(0u, channel.Messaging.Id);
    }
}

using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

/// <summary>What tests of signalling have in common (RFC 8323 section 5).</summary>
public abstract class SignallingTest : ConnectionTest
{
    protected const string Ping = "01e242";
    protected const string Pong = "01e342";
    protected const string CustodyPing = "11e24220";
    protected const string CustodyPong = "11e34220";
    protected const string Release = "00e4";
    protected const string Abort = "00e5";

    /// <summary>GET /x with token aa, and the answer of <see cref="MapX"/>.</summary>
    protected const string GetX = "2101aab178";
    protected const string AnswerX = "4145aac0ff6869";

    /// <summary>GET /slow with token bb, and its answer.</summary>
    protected const string GetSlow = "5101bbb4736c6f77";
    protected const string AnswerSlow = "6145bbc0ff646f6e65";

    /// <summary>What we send as the last frame when nothing else is to be said.</summary>
    protected const string Empty = "0000";

    private protected long Count(CoapCounter counter) => Server.Endpoint.Counters[counter];

    private protected void MapX() => Server.MapGet("/x", () => CoapResults.Text("hi"));

    /// <summary>A resource /slow that answers when <see cref="Finish"/> says so.</summary>
    private protected TaskCompletionSource<CoapResult> MapSlow()
    {
        TaskCompletionSource<CoapResult> answer = new();
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => answer.Task);
        return answer;
    }

    /// <summary>
    /// The answer has left when this returns: it goes out on the thread that gives it, where no context keeps it from that.
    /// </summary>
    private protected static Task Finish(TaskCompletionSource<CoapResult> answer) =>
        OnThread(() => answer.SetResult(CoapResults.Text("done")));

    /// <summary>A connection that the peer opened; our CSM is taken out.</summary>
    private protected Task<(DirectConnection Connection, CoapPeer Peer)> OpenAsync(string? csm = LargeCsm)
    {
        DirectConnection connection = Streams.Accept(CoapAddress.FromIPv4(0xc0000201, 5683));
        connection.TakeSent();
        if (csm is not null)
        {
            connection.Receive(csm);
        }

        return Task.FromResult((connection, CoapPeer.Of(connection.Channel!)));
    }

    /// <summary>Sends GET /y to a peer, and gives its token too.</summary>
    private protected static (Task<CoapResponse> Response, string Token) Ask(DirectConnection connection, CoapPeer peer)
    {
        Task<CoapResponse> response = peer.SendAsync(new CoapRequest(CoapMethod.Get, "/y"));
        return (response, TokenOf(Assert.Single(connection.TakeSent())));
    }

    private protected static string TokenOf(string frame) => frame.Substring(4, 2 * (Convert.ToInt32(frame[1..2], 16)));

    /// <summary>2.05 without anything, to a token of 4 bytes.</summary>
    private protected static string ContentFor(string token) => "0445" + token;

    /// <summary>The one frame that left is an Abort, the last on the connection; what it says is given.</summary>
    private protected static string AssertAborted(DirectConnection connection, string options = "")
    {
        CoapMessage abort = CoAP.NET.CoapStreamSerializer.Default.Deserialize(Wire.Hex(Assert.Single(connection.TakeSent())));
        Assert.Equal(CoapCode.Abort, abort.Code);
        Assert.Equal(options, string.Join(", ", abort.Options));
        Assert.True(connection.HasSentLast);
        return Encoding.UTF8.GetString(abort.Payload.Span);
    }
}

using System.Net;
using CoAP.NET.Connecting;
using CoAP.NET.Options;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Connections;

/// <summary>
/// An endpoint on virtual time that opens connections on a <see cref="DirectStreamTransport"/>. What it meets there is scripted: by default
/// a server that sends its CSM as soon as ours came and answers nothing.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public abstract class ClientConnectionTest : ConnectionTest
{
    protected const string Target = "coap+tcp://192.0.2.1/x";

    private protected static readonly CoapAddress s_first = CoapAddress.FromIPv4(0xc0000201, 5683);
    private protected static readonly CoapAddress s_second = CoapAddress.FromIPv4(0xc0000202, 5683);

    private int _attempts;

    private protected ClientConnectionTest() => Options.Transports.ResolveHost = (name, _) => Task.FromResult(name == "two.example"
        ? new[] { IPAddress.Parse("192.0.2.1"), IPAddress.Parse("192.0.2.2") }
        : [IPAddress.Parse("192.0.2.1")]);

    private protected CoapEndpoint Endpoint => Server.Endpoint;

    private protected CoapCounters Counters => Endpoint.Counters;

    /// <summary>The CSM that servers send; null for none.</summary>
    protected string? ServerCsm { get; set; } = LargeCsm;

    /// <summary>Answers the frames of the client, after the CSM; null for no answer.</summary>
    private protected Func<DirectConnection, Frame, string?>? Answers { get; set; }

    /// <summary>How the attempts to connect end: null for well.</summary>
    private protected Func<CoapAddress, Exception?>? Failing { get; set; }

    private protected int Attempts => Volatile.Read(ref _attempts);

    /// <summary>Attempts that failed, as the log tells.</summary>
    private protected int Failures => Logs.Entries.Count(static entry => entry.Id.Id == 1760);

    private protected async Task StartClientAsync(DirectStreamTransport? transport = null)
    {
        transport ??= Streams;
        transport.Connecting = (remote, _, _) =>
        {
            Interlocked.Increment(ref _attempts);
            return Failing?.Invoke(remote) is { } error ? Task.FromException(error) : Task.CompletedTask;
        };
        transport.Connected = connection =>
        {
            bool isFirst = true;
            connection.OnSent = hex =>
            {
                if (isFirst)
                {
                    isFirst = false;
                    if (ServerCsm is { } csm)
                    {
                        connection.Receive(csm);
                    }
                }
                else if (Answers?.Invoke(connection, new Frame(hex)) is { } answer && !connection.IsClosed)
                {
                    connection.Receive(answer);
                }
            };
        };
        Server.Endpoint.AddTransport(transport);
        await Server.StartAsync();
    }

    private protected static Exception Refused(CoapAddress remote) =>
        new CoapConnectionException(CoapError.ConnectFailed, $"Nobody listens at {remote}.");

    /// <summary>2.05 with a payload of one byte, to a frame.</summary>
    private protected static string Content(Frame request, string payload = "31") => Reply(request, "45", payload);

    private protected static string Reply(Frame request, string code, string payload = "") =>
        $"{(payload.Length == 0 ? 0 : 1 + (payload.Length / 2)):x}{request.Token.Length / 2:x}{code}{request.Token}{(payload.Length == 0 ? string.Empty : "ff" + payload)}";

    /// <summary>A Release message (RFC 8323 section 5.5).</summary>
    private protected static string Release(uint? holdOff, params string[] alternatives)
    {
        CoapMessage release = new(CoapCode.Release);
        foreach (string alternative in alternatives)
        {
            release.Options.Add(new AlternativeAddressOption(alternative));
        }

        if (holdOff is { } seconds)
        {
            release.Options.Add(new HoldOffOption(seconds));
        }

        return Wire.Hex(new CoapStreamSerializer().Serialize(release));
    }

    /// <summary>Answers every request with 2.05.</summary>
    private protected void AnswerAll() => Answers = static (_, frame) => frame.Code is > 0 and < 32 ? Content(frame) : null;

    /// <summary>
    /// Waits until other threads have brought something about, and have come to the end of what they do: one that has just sent something
    /// may still have the turn to send on its connection.
    /// </summary>
    private protected async Task UntilAsync(Func<bool> condition)
    {
        await Eventually.IsTrueAsync(condition);
        await SettleAsync();
    }

    private protected ConnectionPool Pool => Endpoint.Core.Pool;

    /// <summary>A frame as it left, of at most 268 bytes after the token.</summary>
    private protected sealed record Frame(string Hex)
    {
        private int Extension => Hex[0] switch { 'd' => 2, 'e' => 4, 'f' => 8, _ => 0 };

        public int Code => Convert.ToInt32(Hex.Substring(2 + Extension, 2), 16);

        public string Token => Hex.Substring(4 + Extension, 2 * Convert.ToInt32(Hex[1..2], 16));

        public string Rest => Hex[(4 + Extension + Token.Length)..];
    }
}

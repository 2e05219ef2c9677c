using System.Threading.Channels;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>A client on virtual time, connected to a server that is a function of the test.</summary>
public abstract class ScriptedServerTest : IAsyncLifetime
{
    private readonly Channel<string> _sent = Channel.CreateUnbounded<string>();
    private CoapEndpoint? _endpoint;
    private Task _pump = Task.CompletedTask;

    private protected ScriptedServerTest() =>
        Options = new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(42) } };

    private protected VirtualClock Clock { get; } = new();

    private protected CoapEndpointOptions Options { get; }

    private protected CoapEndpoint Endpoint => _endpoint ??= new CoapEndpoint(Options);

    private protected DirectStreamTransport Streams { get; } = new();

    private protected DirectConnection Connection { get; private set; } = null!;

    /// <summary>The requests that left, in order.</summary>
    private protected List<CoapMessage> Requests { get; } = [];

    /// <summary>Answers a request; null for silence.</summary>
    private protected Func<CoapMessage, CoapMessage?> Answer { get; set; } = static _ => null;

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        _sent.Writer.TryComplete();
        await Endpoint.DisposeAsync();
    }

    /// <summary>Connects to the server, whose CSM is the given one.</summary>
    private protected async Task<CoapPeer> ConnectAsync(string csm)
    {
        Endpoint.AddTransport(Streams);
        await Endpoint.StartAsync();
        CoapConnection connection = await Streams.ConnectAsync(CoapAddress.FromIPv4(0xc0000209, 5683), null, CancellationToken.None);
        Connection = (DirectConnection)connection;
        Connection.Receive(csm);
        Connection.TakeSent();
        Connection.OnSent = hex => _sent.Writer.TryWrite(hex);
        _pump = PumpAsync();
        return CoapPeer.Of(connection.Channel!);
    }

    private protected async Task<T> Within<T>(Task<T> task)
    {
        // A server that broke is the reason why nothing comes.
        await (await Task.WhenAny(task, _pump).WaitAsync(HangGuard.InMemory));
        return await task.WaitAsync(HangGuard.InMemory);
    }

    /// <summary>Answers the requests one after the other; further ones are not answered.</summary>
    private protected void Script(params Func<CoapMessage, CoapMessage>[] replies)
    {
        int next = 0;
        Answer = request => next < replies.Length ? replies[next++](request) : null;
    }

    /// <summary>Block1 of each request as hexadecimal digits; a dash for none.</summary>
    private protected string[] Block1s => [.. Requests.Select(request => request.Block1Of() ?? "-")];

    private protected string[] Block2s => [.. Requests.Select(request => request.Block2Of() ?? "-")];

    private async Task PumpAsync()
    {
        await foreach (string hex in _sent.Reader.ReadAllAsync().ConfigureAwait(false))
        {
            CoapMessage request = Frames.Read(hex);
            if (!request.Code.IsRequest)
            {
                continue;
            }

            Requests.Add(request);
            if (Answer(request) is { } reply)
            {
                Connection.Receive(Frames.Write(reply));
            }
        }
    }
}

using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using Blocking;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>
/// A server on a real socket of the loopback and virtual time, the same tests for each way to drive sockets; and peers that are sockets, or
/// clients of ours with a clock of their own that stands still.
/// </summary>
public abstract class EngineTest : IAsyncLifetime
{
    protected const string OurCsm = "70e123100000202140";
    protected const string BareCsm = "00e1";
    protected const string LargeCsm = "50e12310000020";

    /// <summary>GET /x with token aa, and its answer.</summary>
    protected const string GetX = "2101aab178";
    protected const string AnswerX = "4145aac0ff6869";

    private readonly TlsCertificates _certificates = new();
    private readonly List<IAsyncDisposable> _open = [];
    private CoapServer? _server;
    private int _port;

    private protected EngineTest() => Options.TimeProvider = Clock;

    /// <summary>What differs between the suites.</summary>
    protected abstract CoapSocketEngine Engine { get; }

    protected virtual bool UsesTls => false;

    /// <summary>Whether a transport with a thread for each connection is used instead.</summary>
    protected virtual bool IsBlocking => false;

    protected VirtualClock Clock { get; } = new();

    protected CoapEndpointOptions Options { get; } = new();

    protected CoapServer Server => _server ??= MakeServer();

    protected CoapClient Client => field ??= MakeClient();

    protected string Scheme => UsesTls ? "coaps+tcp" : "coap+tcp";

    protected string Uri => $"{Scheme}://127.0.0.1:{_port}";

    protected int Port => _port;

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public virtual async ValueTask DisposeAsync()
    {
        await CloseClientsAsync();
        if (_server is not null)
        {
            await _server.DisposeAsync();
        }

        _certificates.Dispose();
    }

    protected static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));

    protected static Task Within(Task task) => task.WaitAsync(FromMinutes(2));

    /// <summary>Waits for something that other threads do; a guard against hanging, no assertion about time.</summary>
    protected static async Task UntilAsync(Func<bool> isSo, Func<string> says)
    {
        using CancellationTokenSource hang = new(FromMinutes(2));
        for (int looks = 0; !isSo(); looks++)
        {
            Assert.False(hang.IsCancellationRequested, says());
            await Eventually.PauseAsync(looks);
        }
    }

    private protected Task UntilAsync(CoapCounter counter, long count) =>
        UntilAsync(() => Count(counter) >= count, () => $"{counter} is {Count(counter)} and not {count}.");

    private protected long Count(CoapCounter counter) => Server.Counters[counter];

    /// <summary>The connections of the server.</summary>
    private protected List<CoapConnection> Connections =>
        [.. Server.Endpoint.Connections.All().Select(static channel => channel.Connection!)];

    protected async Task StartAsync(string host = "127.0.0.1")
    {
        Server.MapGet("/x", static () => CoapResults.Text("hi"));
        if (IsBlocking)
        {
            Server.Endpoint.AddTransport(new BlockingTransport(new IPEndPoint(IPAddress.Parse(host.Trim('[', ']')), 0)));
        }
        else
        {
            Server.Listen($"{Scheme}://{host}:0");
        }

        await Within(Server.StartAsync());
        _port = new System.Uri(Assert.Single(Server.LocalEndpoints).Origin()).Port;
    }

    /// <summary>A socket that connected; under TLS with the handshake done. Nothing was sent or received of CoAP.</summary>
    private protected async Task<AsyncPeer> ConnectRawAsync(IPAddress? address = null, int? receiveBuffer = null, IPAddress? from = null)
    {
        address ??= IPAddress.Loopback;
        Socket socket = new(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        if (from is not null)
        {
            socket.Bind(new IPEndPoint(from, 0));
        }

        if (receiveBuffer is { } size)
        {
            socket.ReceiveBufferSize = size;
        }

        await Within(socket.ConnectAsync(new IPEndPoint(address, _port)));
        if (!UsesTls)
        {
            return new AsyncPeer(socket, new NetworkStream(socket, ownsSocket: true));
        }

        SslStream stream = new(LineOf(socket));
        await Within(stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            CertificateChainPolicy = _certificates.Trust(),
            ApplicationProtocols = [new SslApplicationProtocol("coap")],
        }));
        return new AsyncPeer(socket, stream);
    }

    /// <summary>What is below the TLS of a peer.</summary>
    private protected virtual Stream LineOf(Socket socket) => new NetworkStream(socket, ownsSocket: true);

    /// <summary>A peer whose CSM was sent and that has ours.</summary>
    private protected async Task<AsyncPeer> ConnectAsync(string csm = LargeCsm, int? receiveBuffer = null)
    {
        AsyncPeer peer = await ConnectRawAsync(receiveBuffer: receiveBuffer);
        await peer.SendAsync(csm);
        Assert.Equal(CoapCode.Csm, (await peer.ReadMessageAsync()).Code);
        return peer;
    }

    /// <summary>Nothing is left of any connection, whatever became of it.</summary>
    protected async Task AssertNothingLeftAsync()
    {
        await CloseClientsAsync();
        CoapEndpoint endpoint = Server.Endpoint;
        await UntilAsync(() => endpoint.Connections.Count == 0, () => $"{endpoint.Connections.Count} connections are left.");
        await UntilAsync(() => endpoint.FrameAssemblyBytes == 0,
            () => $"{endpoint.FrameAssemblyBytes} bytes of frames are still accounted.");
        await UntilAsync(() => endpoint.Served.Count == 0, () => $"{endpoint.Served.Count} requests are still served.");
        Assert.Equal(0, Server.ObserverCount);
        Assert.Equal(0, Count(CoapCounter.StageErrors));

        // The thread that ended the last one has still to count it when the table no longer holds it.
        await UntilAsync(
            () => Count(CoapCounter.ConnectionsAccepted) + Count(CoapCounter.ConnectionsOpened) == Count(CoapCounter.ConnectionsClosed),
            () => $"{Count(CoapCounter.ConnectionsAccepted)} accepted, {Count(CoapCounter.ConnectionsOpened)} opened "
                + $"and {Count(CoapCounter.ConnectionsClosed)} closed.");
    }

    /// <summary>Lets a time of the server pass in steps, as progress is looked at now and then.</summary>
    protected async Task PassAsync(TimeSpan time)
    {
        await NothingIsBeingSentAsync();
        Pass(time);
    }

    private void Pass(TimeSpan time)
    {
        for (int i = 0; i < 40; i++)
        {
            Clock.Advance(time / 20);
        }
    }

    // Real threads do not see the time that passes: whoever has just sent something must have noted so, or it looks as if nobody had
    // taken it all the while.
    private Task NothingIsBeingSentAsync() => UntilAsync(
        () => Connections.TrueForAll(static connection => connection.IsCongested || connection.Progress.BytesWaiting == 0),
        static () => "Something is still being sent.");

    /// <summary>
    /// Lets a time of the server pass until something is so. A real thread that the system kept from its work may note it only when all of
    /// the time has passed, as if it had begun then: after some seconds in vain the time passes once more.
    /// </summary>
    protected async Task PassUntilAsync(TimeSpan time, Func<bool> isSo, Func<string> says)
    {
        long begun = TimeProvider.System.GetTimestamp();
        TimeSpan again = TimeSpan.Zero;
        await UntilAsync(
            () =>
            {
                if (!isSo() && TimeProvider.System.GetElapsedTime(begun) >= again)
                {
                    again += FromSeconds(10);
                    Pass(time);
                }

                return isSo();
            },
            says);
    }

    /// <summary>As the other overload, until a counter has come to a number.</summary>
    private protected async Task PassUntilAsync(TimeSpan time, CoapCounter counter, long count)
    {
        await NothingIsBeingSentAsync();
        await PassUntilAsync(time, () => Count(counter) >= count, () => $"{counter} is {Count(counter)} and not {count}.");
    }

    /// <summary>
    /// Waits for something that real threads bring about and the clock of the server goes on with: its next tick may come to be wanted at
    /// any moment.
    /// </summary>
    private protected async Task<T> WhileTicksPassAsync<T>(Task<T> task)
    {
        while (!task.IsCompleted)
        {
            Clock.Advance(FromMicroseconds(1));
            await Task.Yield();
        }

        return await task;
    }

    private async Task CloseClientsAsync()
    {
        foreach (IAsyncDisposable open in _open)
        {
            await open.DisposeAsync();
        }

        _open.Clear();
    }

    private CoapServer MakeServer()
    {
        Options.Transports.TcpEngine = Engine;
        if (UsesTls)
        {
            Options.Tls = new CoapTlsOptions
            {
                Server = new SslServerAuthenticationOptions { ServerCertificate = _certificates.Server(["localhost", "127.0.0.1"]) }
            };
        }

        return new CoapServer(Options);
    }

    private CoapClient MakeClient()
    {
        CoapEndpointOptions options = new()
        {
            TimeProvider = new VirtualClock(),
            Transports = { TcpEngine = Engine },
            Tls = new CoapTlsOptions { Client = new SslClientAuthenticationOptions { CertificateChainPolicy = _certificates.Trust() } },
        };
        CoapClient client = new(options);
        _open.Add(client);
        return client;
    }
}

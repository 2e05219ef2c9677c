using System.Net;
using System.Net.Sockets;
using Blocking;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>The transport with a thread for each connection: a whole one through public members only, on sockets.</summary>
public sealed class BlockingTransportTests : IAsyncLifetime
{
    private const string BareCsm = "00e1";
    private const string OurCsm = "70e123100000202140";

    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly CoapServer _server = new();
    private readonly BlockingTransport _transport = new(new IPEndPoint(IPAddress.Loopback, 0));
    private byte[] _stored = [];

    public async ValueTask InitializeAsync()
    {
        int state = 0;
        _server.Endpoint.AddTransport(_transport);
        _server.MapGet("/x", () => CoapResults.Text("hi"));
        _server.MapPut("/s", request =>
        {
            _stored = request.Payload.ToArray();
            return CoapResults.Changed();
        });
        CoapRouteHandlerBuilder observed = _server.MapGet("/o", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        _server.MapPost("/o", () =>
        {
            Interlocked.Increment(ref state);
            observed.Notify();
            return CoapResults.Changed();
        });
        await _server.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _server.DisposeAsync();

    [Fact]
    public async Task Requests_that_arrive_byte_by_byte_are_answered()
    {
        using Socket peer = await ConnectAsync();

        foreach (byte one in Wire.Hex("2101aab178"))
        {
            await peer.SendAsync(new[] { one });
        }

        Assert.Equal("4145aac0ff6869", await ReadAsync(peer, 7));
    }

    [Fact]
    public async Task A_body_of_100_KiB_in_one_message_arrives()
    {
        using Socket peer = await ConnectAsync("50e12310000020");
        byte[] body = new byte[100 * 1024];
        new Random(1).NextBytes(body);

        // Length: Uri-Path of 2 bytes, the marker and the body, less 65,805; PUT, token 01, /s.
        await peer.SendAsync((byte[])[0xf1, .. Wire.Hex($"{2 + 1 + body.Length - 65_805:x8}"), 0x03, 0x01, .. Wire.Hex("b173ff"), .. body]);
        Assert.Equal("014401", await ReadAsync(peer, 3));
        Assert.Equal(body, _stored);
    }

    [Fact]
    public async Task Observers_are_notified_on_their_connection()
    {
        using Socket observer = await ConnectAsync();
        using Socket changer = await ConnectAsync();
        await observer.SendAsync(Wire.Hex("310101605" + "16f"));
        string first = await ReadFrameAsync(observer);
        first.Ends("ff30");

        await changer.SendAsync(Wire.Hex("210202b16f"));

        (await ReadFrameAsync(observer)).Ends("ff31");
        Assert.Equal("014402", await ReadFrameAsync(changer));
    }

    [Fact]
    public async Task A_connection_reset_does_not_affect_other_connections()
    {
        Socket gone = await ConnectAsync();
        using Socket other = await ConnectAsync();
        gone.LingerState = new LingerOption(enable: true, seconds: 0);
        gone.Dispose();

        await other.SendAsync(Wire.Hex("2101aab178"));
        Assert.Equal("4145aac0ff6869", await ReadAsync(other, 7));
        await Eventually.IsTrueAsync(
            () => _server.Counters[CoapCounter.ConnectionsClosed] == 1 && _server.Counters[CoapCounter.ConnectionsLost] == 1);
    }

    [Fact]
    public async Task The_Abort_reason_reaches_the_peer_before_the_connection_ends()
    {
        using Socket peer = await ConnectAsync();

        // A token of 15 bytes, and more behind it.
        await peer.SendAsync(Wire.Hex("0f0100" + new string('0', 2000)));

        string abort = await ReadFrameAsync(peer);
        abort[..6].Mentions("e5");
        Assert.Equal(0, await peer.ReceiveAsync(new byte[1]).WaitAsync(s_hang));
    }

    [Fact]
    public async Task The_transport_can_open_a_connection()
    {
        BlockingTransport own = new();
        await using CoapServer client = new();
        client.Endpoint.AddTransport(own);
        await client.StartAsync();

        CoapConnection connection = await own.ConnectAsync(_transport.LocalAddresses[0], null, CancellationToken.None).AsTask()
            .WaitAsync(s_hang);

        Assert.True(connection.IsInitiator);
        Assert.NotNull(connection.Channel);

        // A port that is taken, and on which nobody listens.
        using Socket unused = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        unused.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        CoapAddress nobody = CoapAddress.FromIPv4(0x7f000001, (ushort)((IPEndPoint)unused.LocalEndPoint!).Port);
        CoapConnectionException refused = await Assert.ThrowsAsync<CoapConnectionException>(
            () => own.ConnectAsync(nobody, null, CancellationToken.None).AsTask().WaitAsync(s_hang));
        Assert.Equal(CoapError.ConnectFailed, refused.Error);
    }

    private async Task<Socket> ConnectAsync(string csm = BareCsm)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(_transport.LocalAddresses[0].ToIPEndPoint());
        await socket.SendAsync(Wire.Hex(csm));
        Assert.Equal(OurCsm, await ReadAsync(socket, 9));
        return socket;
    }

    private static async Task<string> ReadAsync(Socket socket, int length)
    {
        byte[] bytes = new byte[length];
        int have = 0;
        while (have < length)
        {
            int count = await socket.ReceiveAsync(bytes.AsMemory(have)).AsTask().WaitAsync(s_hang);
            Assert.NotEqual(0, count);
            have += count;
        }

        return Wire.Hex(bytes);
    }

    // RFC 8323 section 3.2.
    private static async Task<string> ReadFrameAsync(Socket socket)
    {
        string first = await ReadAsync(socket, 1);
        int token = Convert.ToInt32(first[1..], 16);
        int length = Convert.ToInt32(first[..1], 16);
        (int digits, int base0) = length switch { 13 => (2, 13), 14 => (4, 269), 15 => (8, 65_805), _ => (0, length) };
        string head = await ReadAsync(socket, (digits / 2) + 1);
        int rest = base0 + (digits > 0 ? Convert.ToInt32(head[..digits], 16) : 0) + token;
        return first + head + (rest > 0 ? await ReadAsync(socket, rest) : "");
    }
}

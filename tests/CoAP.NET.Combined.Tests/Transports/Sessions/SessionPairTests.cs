using System.Collections.Concurrent;
using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Transports.Sessions;

// Two endpoints of this library: everything that goes over UDP goes in sessions, also when datagrams are lost and the client is somewhere
// else all the time.
public sealed class SessionPairTests : SessionTest
{
    private static readonly CoapAddress s_client = CoapAddress.FromIPv4(0xc6336401, 41_000);
    private static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc6336409, 5684);

    private readonly WiredSessionTransport _ours = new(s_client);
    private readonly WiredSessionTransport _theirs = new(s_server);
    private readonly byte[] _body = [.. Enumerable.Range(0, 9000).Select(i => (byte)(i * 7))];
    private byte[] _came = [];

    [Theory]
    [InlineData(0, false)]
    [InlineData(0, true)]
    [InlineData(5, false)]
    [InlineData(5, true)]
    [Rfc("9146-6-1", "7959-2.4-1")]
    public async Task Bodies_arrive_despite_lost_datagrams_and_client_moves(int lost, bool moves)
    {
        await using CoapServer device = await StartPairAsync();
        int sent = 0;
        HashSet<string> seen = [];

        // Each of those is lost once: copies of it arrive.
        bool IsLost(byte[] bytes)
        {
            lock (seen)
            {
                return seen.Add(Wire.Hex(bytes)) && lost > 0 && seen.Count % lost == 0;
            }
        }

        _ours.Loses = bytes =>
        {
            if (moves && Interlocked.Increment(ref sent) is 4 or 12 or 20)
            {
                Move();
            }

            return IsLost(bytes);
        };
        _theirs.Loses = IsLost;

        CoapResponse up = await PassAsync(device.Endpoint.PutAsync("coaps://198.51.100.9/b", CoapContent.Binary(_body)));
        CoapResponse down = await PassAsync(device.Endpoint.GetAsync("coaps://198.51.100.9/b"));

        up.Gives(CoapCode.Changed);
        Assert.Equal(_body, _came);
        Assert.Equal(_body, down.Payload.ToArray());
        Assert.Single(_ours.Sessions);
        Assert.InRange(Counters[CoapCounter.PeersMoved], moves ? 1 : 0, moves ? 3 : 0);
        await PassAsync(device.Endpoint.ConnectedPeers.Single().ReleaseAsync());
        Assert.True(_theirs.Sessions.Single().IsClosed);
        AssertFreed(_theirs.Sessions.Single().Channel!);
        AssertFreed(_ours.Sessions.Single().Channel!);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("9146-6-1")]
    public async Task An_observation_survives_a_move_and_the_end_of_its_session(bool confirmable)
    {
        CoapRouteHandlerBuilder route = MapState(confirmable);
        await using CoapServer device = await StartPairAsync();
        ConcurrentQueue<string> came = new();
        await using CoapObservation observation = await PassAsync(device.Endpoint.ObserveAsync(
            new CoapRequest(CoapMethod.Get, "coaps://198.51.100.9/obs"),
            new CoapObservationOptions { OnNotification = response => came.Enqueue(response.GetText()) }));
        await ExpectAsync(came, "0");
        Change(route, "1");
        await ExpectAsync(came, "1");

        // It sends something, and so the server learns where it is.
        Move();
        await PassAsync(device.Endpoint.PingAsync("coaps://198.51.100.9"));
        Change(route, "2");
        await ExpectAsync(came, "2");
        Assert.Equal(1, Counters[CoapCounter.PeersMoved]);
        Assert.Equal(1, Server.ObserverCount);

        _ours.Sessions[0].Close(null);
        Change(route, "3");
        await ExpectAsync(came, "3");
        Assert.Equal(2, _ours.Sessions.Count);
        Assert.Equal(1, Server.ObserverCount);
        AssertFreed(_theirs.Sessions[0].Channel!);
        await PassAsync(observation.DisposeAsync().AsTask());
        await PassAsync(device.DisposeAsync().AsTask());
    }

    [Fact]
    [Rfc("9177-4.1-1")]
    public async Task Secured_sessions_may_use_Q_Block()
    {
        Options.UseQBlock(CoapQBlockPolicy.Secured);
        await using CoapServer device = await StartPairAsync(CoapQBlockPolicy.Secured);
        CoapRequest request = new(CoapMethod.Put, "coaps://198.51.100.9/b") { Confirmable = false, Content = CoapContent.Binary(_body) };
        List<byte[]> sent = [];
        _ours.Loses = bytes =>
        {
            lock (sent)
            {
                sent.Add(bytes);
            }

            return false;
        };

        CoapResponse response = await PassAsync(device.Endpoint.SendAsync(request));

        response.Gives(CoapCode.Changed);
        Assert.Equal(_body, _came);
        Assert.Contains(sent, bytes => Read(Wire.Hex(bytes)).Options.Contains(CoAP.NET.OptionNumber.QBlock1));
    }

    [Fact]
    public async Task Both_ends_of_a_session_can_send_requests()
    {
        TaskCompletionSource<Task<CoapResponse>> asked = new();
        Server.MapPost("/register", request =>
        {
            asked.SetResult(request.Peer.GetAsync("/3/0"));
            return CoapResults.Changed();
        });
        await using CoapServer device = await StartPairAsync();
        device.MapGet("/3/0", () => CoapResults.Text("device"));

        await PassAsync(device.Endpoint.PostAsync("coaps://198.51.100.9/register", CoapContent.Text("1")));

        await PassAsync(await Within(asked.Task)).Says("device");
        Assert.Single(_ours.Sessions);
        Assert.Empty(_theirs.Sessions.Skip(1));
    }

    private async Task<CoapServer> StartPairAsync(CoapQBlockPolicy qBlock = CoapQBlockPolicy.Off)
    {
        _ours.Other = _theirs;
        _theirs.Other = _ours;
        Server.MapGet("/b", () => CoapResults.Bytes(_body));
        Server.MapPut("/b", request =>
        {
            _came = request.Payload.ToArray();
            return CoapResults.Changed();
        }).WithMaxBodySize(100_000);
        Endpoint.AddTransport(_theirs);
        await Server.StartAsync();
        CoapServer device =
            new(new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(7) } }.UseQBlock(qBlock));
        device.Endpoint.AddTransport(_ours);
        await device.StartAsync();
        return device;
    }

    private Task ExpectAsync(ConcurrentQueue<string> came, string text) => PassUntilAsync(() => came.Contains(text));

    private void Move()
    {
        WiredSessionTransport.WiredSession session = _ours.Sessions[^1];
        session.Source = session.Source with { Port = (ushort)(session.Source.Port + 1) };
    }
}

using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Overload;

/// <summary>A server that serves as many requests as it may: what is new is refused before user code, what is under way goes on.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class AdmissionTests : IAsyncLifetime
{
    private readonly VirtualClock _clock = new();
    private readonly InMemoryNetwork _network;
    private readonly CoapServer _server;
    private readonly Queue<TaskCompletionSource> _waiting = new();
    private int _calls;
    private int _state;
    private byte[] _uploaded = [];

    public AdmissionTests()
    {
        _network = new InMemoryNetwork(_clock);
        CoapEndpointOptions options = new() { TimeProvider = _clock, Pipeline = { Random = new VirtualRandom(1) } };
        options.Limits.Requests.MaxServed = 2;
        _server = new CoapServer(options);
        _server.Endpoint.AddTransport(_network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683")));
        _server.MapGet("/w", async (CoapRequestContext _, CancellationToken _) =>
        {
            _calls++;
            TaskCompletionSource done = new();
            _waiting.Enqueue(done);
            await done.Task;
            return CoapResults.Text("x");
        });
        _server.MapGet("/s", () => CoapResults.Text($"{_state}")).Observable();
        _server.MapGet("/d", () => CoapResults.Text(new string('d', 40)));
        _server.MapPut("/u", request =>
        {
            _uploaded = request.Payload.ToArray();
            return CoapResults.Changed();
        });
    }

    public async ValueTask InitializeAsync() => await _server.StartAsync();

    public async ValueTask DisposeAsync() => await _server.DisposeAsync();

    [Fact]
    public void Requests_beyond_the_limit_get_5_03_with_Max_Age_before_user_code_and_are_served_when_it_is_free()
    {
        using ScriptedPeer one = Peer(1);
        using ScriptedPeer two = Peer(2);
        using ScriptedPeer three = Peer(3);
        Fill(one, two);

        three.Send("41 01 0001 a3 b1 'w'");
        three.Expect("61 a3 0001 a3 d1 01 05");
        Assert.Equal(2, _calls);
        Assert.Equal(1, _server.Counters[CoapCounter.Busy]);

        // A duplicate is no new request, whichever of the two it repeats.
        one.Send("41 01 0001 a1 b1 'w'");
        one.Expect("60 00 0001");
        three.Send("41 01 0001 a3 b1 'w'");
        three.Expect("61 a3 0001 a3 d1 01 05");
        Assert.Equal(2, _calls);
        Assert.Equal(1, _server.Counters[CoapCounter.Busy]);

        _waiting.Dequeue().SetResult();
        one.Acknowledge(one.ExpectWithin("41 45 <mid:2> a1 ..", TimeSpan.FromSeconds(1)));
        three.Send("41 01 0002 a4 b1 'w'");
        three.ExpectWithin("60 00 0002", TimeSpan.FromSeconds(1));
        Assert.Equal(3, _calls);
    }

    [Fact]
    public void A_full_server_notifies_observers_and_continues_transfers()
    {
        using ScriptedPeer observer = Peer(1);
        observer.Send("41 01 0001 b1 60 51 's'");
        observer.Expect("61 45 0001 b1 ..");
        using ScriptedPeer uploader = Peer(2);
        uploader.Send("41 03 0001 c1 b1 'u' d1 03 08 ff '0123456789abcdef'");
        uploader.Expect("61 5f 0001 c1 ..");
        using ScriptedPeer downloader = Peer(3);
        downloader.Send("41 01 0001 d1 b1 'd' c1 00");
        downloader.Expect("61 45 0001 d1 ..");
        using ScriptedPeer one = Peer(4);
        using ScriptedPeer two = Peer(5);
        Fill(one, two);

        // What is new is refused.
        one.Send("41 03 0002 a5 b1 'u' ff 'new'");
        one.Expect("61 a3 0002 a5 d1 01 05");

        _state = 1;
        _server.Notify("/s");
        observer.Acknowledge(observer.ExpectWithin("41 45 <mid:2> b1 ..", TimeSpan.FromSeconds(1)));
        _state = 2;
        _server.Notify("/s");
        observer.Acknowledge(observer.ExpectWithin("41 45 <mid:2> b1 ..", TimeSpan.FromSeconds(1)));
        downloader.Send("41 01 0002 d2 b1 'd' c1 10");
        downloader.Expect("61 45 0002 d2 ..");
        downloader.Send("41 01 0003 d3 b1 'd' c1 20");
        downloader.Expect("61 45 0003 d3 ..");
        uploader.Send("41 03 0002 c1 b1 'u' d1 03 10 ff 'ghij'");
        uploader.Expect("61 44 0002 c1 ..");
        Assert.Equal("0123456789abcdefghij"u8, _uploaded);
        Assert.Equal(2, _server.RequestsServed);
    }

    private ScriptedPeer Peer(int number) =>
        _network.CreatePeer(InMemoryNetwork.Address($"198.51.100.{number}:40000"), InMemoryNetwork.Address("192.0.2.1:5683"));

    private void Fill(ScriptedPeer one, ScriptedPeer two)
    {
        // What a handler awaits goes on within the call that ends it.
        SynchronizationContext.SetSynchronizationContext(null);
        one.Send("41 01 0001 a1 b1 'w'");
        two.Send("41 01 0001 a2 b1 'w'");
        _clock.Advance(TimeSpan.FromSeconds(1));
        one.Expect("60 00 0001");
        two.Expect("60 00 0001");
        Assert.Equal(2, _calls);
        Assert.Equal(2, _server.RequestsServed);
    }
}

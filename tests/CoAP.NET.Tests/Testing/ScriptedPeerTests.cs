using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Testing;

public sealed class ScriptedPeerTests : IDisposable
{
    private static readonly CoapAddress s_a = InMemoryNetwork.Address("192.0.2.1:5683");
    private static readonly CoapAddress s_b = InMemoryNetwork.Address("192.0.2.2:5683");

    private readonly VirtualClock _clock = new();
    private readonly InMemoryNetwork _network;
    private readonly ScriptedPeer _a;
    private readonly ScriptedPeer _b;

    public ScriptedPeerTests()
    {
        _network = new InMemoryNetwork(_clock);
        _a = _network.CreatePeer(s_a, s_b);
        _b = _network.CreatePeer(s_b);
    }

    public void Dispose()
    {
        _a.Dispose();
        _b.Dispose();
    }

    [Fact]
    public void A_value_that_a_pattern_captured_can_be_sent_and_expected_again()
    {
        _a.Send("42 01 7d34 2021 b4 'temp'");
        ReceivedDatagram request = _b.Expect("4? 01 <mid:2> <token:tkl> b4 'temp'");
        Assert.Equal(Wire.Hex("7d34"), request.Captures["mid"]);
        _b.Send("62 45 <mid> <token> ff '21'");
        _a.Expect("62 45 7d34 2021 ff '21'");
        _a.Send("42 01 7d34 2021 b4 'temp'");
        _b.Expect("42 01 <mid> <token> ..");
        Assert.Equal(Wire.Hex("2021"), _b.Remembered["token"]);
    }

    [Fact]
    public void Remember_sets_the_bytes_of_a_name()
    {
        _a.Remember("mid", Wire.Hex("1234"));
        _a.Send("40 00 <mid>");
        _b.Expect("40 00 1234");
    }

    [Fact]
    public void A_mismatch_error_prints_the_expected_and_received_bytes_and_the_trace()
    {
        _a.Send("40 01 7d34");
        ScriptExpectationException error = Assert.Throws<ScriptExpectationException>(() => _b.Expect("40 01 7d35"));
        string[] lines = error.Message.Split(Environment.NewLine);
        Assert.Equal("Expected: 40 01 7d35", lines[0]);
        Assert.Equal("Received: 0.000000 from 192.0.2.1:5683: CON GET mid 7d34, 4 B: 40017d34", lines[1]);
        Assert.Equal("At byte 3: 34, 35 expected", lines[2]);
        Assert.Equal("Trace:", lines[3]);
        lines[5].Mentions("Delivered");
    }

    [Fact]
    public void Expect_fails_when_no_datagram_has_arrived()
    {
        ScriptExpectationException error = Assert.Throws<ScriptExpectationException>(() => _b.Expect(".."));
        error.Mentions("Received: nothing");
    }

    [Fact]
    public void ExpectNothing_fails_when_a_datagram_has_arrived()
    {
        _a.Send("40 01 7d34");
        ScriptExpectationException error = Assert.Throws<ScriptExpectationException>(_b.ExpectNothing);
        error.Mentions("Received: 0.000000 from 192.0.2.1:5683");
    }

    [Fact]
    public void ExpectWithin_stops_the_clock_at_the_arrival()
    {
        SendLater("40 01 7d34", 2);
        using ITimer ticking = _clock.CreateTimer(_ => { }, null, TimeSpan.Zero, FromMilliseconds(10));
        ReceivedDatagram received = _b.ExpectWithin("40 01 7d34", FromSeconds(5));
        Assert.Equal(FromSeconds(2), received.Time);
        Assert.Equal(FromSeconds(2), _clock.Elapsed);
    }

    [Fact]
    public void ExpectWithin_fails_when_its_time_elapses()
    {
        SendLater("40 01 7d34", 2);
        Assert.Throws<ScriptExpectationException>(() => _b.ExpectWithin("40 01 7d34", FromSeconds(1)));
        Assert.Equal(FromSeconds(1), _clock.Elapsed);
        Assert.Throws<ScriptExpectationException>(() => _b.ExpectWithin("40 01 7d35", FromSeconds(1)));
    }

    [Fact]
    public void ExpectNothingFor_ignores_a_datagram_that_arrives_at_its_end()
    {
        SendLater("40 01 7d34", 2);
        _b.ExpectNothingFor(FromSeconds(2));
        Assert.Equal(FromSeconds(2) - FromTicks(1), _clock.Elapsed);
        _b.ExpectWithin("40 01 7d34", FromTicks(1));
    }

    [Fact]
    public void ExpectNothingUntil_fails_when_a_datagram_arrives_earlier()
    {
        SendLater("40 01 7d34", 2);
        _b.ExpectNothingUntil(FromSeconds(1));
        _b.ExpectNothingUntil(FromSeconds(1));
        Assert.Throws<ScriptExpectationException>(() => _b.ExpectNothingUntil(FromSeconds(2) + FromTicks(1)));
    }

    [Fact]
    public void Answer_helpers_copy_the_Message_ID_and_token_of_the_request()
    {
        _a.Send("42 01 7d34 2021 b4 'temp'");
        ReceivedDatagram request = _b.Receive()!;
        _b.Acknowledge(request);
        _b.Reset(request);
        _b.Piggyback(request, CoapCode.Content, "ff 'hi'");
        _b.Respond(request, CoapMessageType.NonConfirmable, 0x0102, CoapCode.NotFound);
        Assert.Equal(["60007d34", "70007d34", "62457d342021ff6869", "528401022021"], _a.Received.Select(received => received.Hex));
    }

    [Fact]
    public void A_responder_answers_datagrams_and_removes_them_from_the_queue()
    {
        _b.Responder = received =>
        {
            if (received.Code != CoapCode.Get)
            {
                return false;
            }

            _b.Piggyback(received, CoapCode.Content, "ff 'hi'");
            return true;
        };
        _a.Send("41 01 0001 aa");
        _a.Send("41 02 0002 bb");
        _a.Expect("61 45 0001 aa ff 'hi'");
        _b.Expect("41 02 0002 bb");
        _b.ExpectNothing();
        Assert.Equal(2, _b.Received.Count);
    }

    [Fact]
    public void A_peer_without_a_remote_address_answers_the_last_sender()
    {
        Assert.Throws<InvalidOperationException>(() => _b.Send("40 01 0001"));
        _a.Send("40 01 0001");
        _b.Send("60 00 0001");
        _a.Expect("60 00 0001");
        using ScriptedPeer c = _network.CreatePeer(InMemoryNetwork.Address("192.0.2.3:5683"), s_b);
        c.Send("40 01 0002");
        _b.Send("60 00 0002");
        c.Expect("60 00 0002");
        _b.Remote = s_a;
        c.Send("40 01 0003");
        Assert.Equal(s_a, _b.Remote);
    }

    [Fact]
    public void Waiting_datagrams_can_be_counted_and_discarded()
    {
        _a.Send("40 01 0001");
        _a.Send("40 01 0002");
        Assert.Equal(2, _b.Pending);
        Assert.Equal(2, _b.Clear());
        _b.ExpectNothing();
    }

    [Fact]
    public async Task ExpectAsync_does_not_advance_the_clock()
    {
        ValueTask<ReceivedDatagram> waiting = _b.ExpectAsync("40 01 <mid:2>", CancellationToken.None);
        Assert.False(waiting.IsCompleted);
        _a.Send("40 01 0001");
        Assert.Equal("40010001", (await waiting.AsTask().WaitAsync(FromMinutes(2))).Hex);
        Assert.Equal(TimeSpan.Zero, _clock.Elapsed);
    }

    [Fact]
    public void Timed_expectations_throw_without_a_virtual_clock()
    {
        InMemoryNetwork network = new(TimeProvider.System);
        using ScriptedPeer peer = network.CreatePeer(s_a);
        Assert.Throws<InvalidOperationException>(() => peer.ExpectNothingFor(FromSeconds(1)));
        Assert.Throws<InvalidOperationException>(() => peer.ExpectWithin("..", FromSeconds(1)));
    }

    private void SendLater(string hex, double seconds) =>
        _clock.CreateTimer(_ => _a.Send(hex), null, FromSeconds(seconds), Timeout.InfiniteTimeSpan);
}

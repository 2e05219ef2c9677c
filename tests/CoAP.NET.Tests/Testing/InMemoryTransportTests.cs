using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Testing.Network;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Testing;

public sealed class InMemoryTransportTests : IDisposable
{
    private static readonly CoapAddress s_server = InMemoryNetwork.Address("192.0.2.1:5683");
    private static readonly CoapAddress s_device = InMemoryNetwork.Address("192.0.2.2:5683");

    private readonly VirtualClock _clock = new();
    private readonly InMemoryNetwork _network;
    private readonly InMemoryTransport _transport;
    private readonly RecordingContext _context;
    private readonly ScriptedPeer _device;

    public InMemoryTransportTests()
    {
        _network = new InMemoryNetwork(_clock, new() { ReportsPortUnreachable = true });
        _transport = _network.CreateHost(s_server);
        _context = new RecordingContext(_clock);
        _device = _network.CreatePeer(s_device, s_server);
    }

    public void Dispose() => _device.Dispose();

    [Fact]
    public async Task The_transport_holds_its_address_from_StartAsync_to_DisposeAsync()
    {
        Assert.Equal("coap", _transport.Scheme);
        Assert.False(_transport.IsReliable);
        Assert.False(_transport.IsSecure);
        Assert.False(_transport.DrivesClock);
        Assert.Empty(_transport.LocalAddresses);

        await _transport.StartAsync(_context, CancellationToken.None);
        Assert.Equal([s_server], _transport.LocalAddresses);
        await using InMemoryTransport second = _network.CreateHost(s_server);
        await Assert.ThrowsAsync<CoapException>(async () => await second.StartAsync(_context, CancellationToken.None));
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await _transport.StartAsync(_context, CancellationToken.None));

        await _transport.DisposeAsync();
        await _transport.DisposeAsync();
        Assert.Empty(_transport.LocalAddresses);
        await second.StartAsync(_context, CancellationToken.None);
        Assert.Equal([s_server], second.LocalAddresses);
    }

    [Fact]
    public async Task A_cancelled_StartAsync_takes_no_address()
    {
        await Assert.ThrowsAsync<OperationCanceledException>(
            async () => await _transport.StartAsync(_context, new CancellationToken(true)));
        Assert.Empty(_transport.LocalAddresses);
        Assert.Throws<InvalidOperationException>(() => _transport.PublicAddress);
    }

    [Fact]
    public async Task The_transport_sends_and_receives_datagrams()
    {
        await _transport.StartAsync(_context, CancellationToken.None);
        CoapDatagram? seen = null;
        _context.OnReceive = datagram => seen = datagram.Copy();

        _device.Send("40 01 7d34");
        RecordingContext.Send(_transport, s_device, "60007d34ff");

        Assert.Equal(("40017d34", s_device, s_server, false), Assert.Single(_context.Received));
        Assert.Same(_transport, seen!.Transport);
        _device.Expect("60 00 7d34 ff");
    }

    [Fact]
    public async Task A_datagram_longer_than_the_limit_is_cut_and_marked()
    {
        _context.Limits.Messages.MaxDatagramSize = 64;
        await _transport.StartAsync(_context, CancellationToken.None);

        _device.Send(new byte[64]);
        _device.Send(new byte[65]);

        Assert.Equal([(128, false), (128, true)], _context.Received.Select(received => (received.Hex.Length, received.Truncated)));
    }

    [Fact]
    public async Task A_sent_datagram_belongs_to_the_transport_and_returns_to_its_pool()
    {
        await _transport.StartAsync(_context, CancellationToken.None);
        CoapDatagramPool pool = new(16);
        CoapDatagram datagram = pool.Rent();
        Wire.Hex("40017d34").CopyTo(datagram.Buffer, 0);
        datagram.Length = 4;
        datagram.Remote = s_device;

        _transport.Send(datagram);
        datagram.Buffer.AsSpan().Clear();

        Assert.Same(datagram, pool.Rent());
        _device.Expect("40 01 7d34");
    }

    [Fact]
    public async Task A_port_unreachable_report_quotes_the_datagram_and_takes_the_return_delay()
    {
        _network.Conditions = NetworkConditions.Delayed(FromMilliseconds(10));
        await _transport.StartAsync(_context, CancellationToken.None);
        CoapAddress nobody = InMemoryNetwork.Address("192.0.2.77:5683");

        RecordingContext.Send(_transport, nobody, "40017d34");
        _clock.Advance(FromMilliseconds(19));
        Assert.Empty(_context.Unreachable);
        _clock.Advance(FromMilliseconds(1));

        Assert.Equal((nobody, s_server, "40017d34"), Assert.Single(_context.Unreachable));
    }

    [Fact]
    public async Task A_datagram_longer_than_the_MTU_is_reported_only_with_ReportsTooLong()
    {
        await _transport.StartAsync(_context, CancellationToken.None);
        _network.Conditions = new NetworkConditions { Mtu = 5 };
        RecordingContext.Send(_transport, s_device, "400100010000");
        _network.Pump();
        Assert.Empty(_context.Failed);

        _network.Conditions = new NetworkConditions { Mtu = 5, ReportsTooLong = true };
        RecordingContext.Send(_transport, s_device, "400100010000");
        Assert.Empty(_context.Failed);
        RecordingContext.Send(_transport, s_device, "4001000100");
        _network.Pump();

        (int length, Exception error) = Assert.Single(_context.Failed);
        Assert.Equal(6, length);
        Assert.Equal(SocketError.MessageSize, Assert.IsType<SocketException>(error).SocketErrorCode);
        Assert.Equal(1, _context.Counters[CoapCounter.SendErrors]);
        _device.Expect("4001000100");
        _device.ExpectNothing();
    }

    [Fact]
    public async Task A_datagram_sent_before_the_start_or_after_disposal_is_counted_as_an_error_and_not_delivered()
    {
        RecordingContext.Send(_transport, s_device, "40010001");
        await _transport.StartAsync(_context, CancellationToken.None);
        await _transport.DisposeAsync();
        RecordingContext.Send(_transport, s_device, "40010002");
        _network.Pump();
        _device.ExpectNothing();
        Assert.Single(_context.Failed);
        Assert.Equal(1, _context.Counters[CoapCounter.SendErrors]);
    }

    [Fact]
    public async Task A_new_transport_takes_the_address_of_a_host_that_restarted()
    {
        _network.Conditions = NetworkConditions.Delayed(FromSeconds(1));
        await _transport.StartAsync(_context, CancellationToken.None);
        _device.Send("40 01 0001");
        await _transport.DisposeAsync();
        RecordingContext fresh = new(_clock);
        await using InMemoryTransport next = _network.CreateHost(s_server);
        await next.StartAsync(fresh, CancellationToken.None);

        _clock.Advance(FromSeconds(1));

        Assert.Empty(_context.Received);
        Assert.Single(fresh.Received);
    }

    [Fact]
    public async Task BufferPoison_overwrites_a_buffer_after_the_receiver_returns()
    {
        using IDisposable first = BufferPoison.Start();
        IDisposable second = BufferPoison.Start();
        second.Dispose();
        second.Dispose();
        await _transport.StartAsync(_context, CancellationToken.None);
        byte[]? kept = null;
        _context.OnReceive = datagram => kept = datagram.Buffer;

        _device.Send("40 01 7d34");

        Assert.All(kept!, value => Assert.Equal(BufferPoison.Value, value), throwIfEmpty: true);
        Assert.Equal("40017d34", _context.Received[0].Hex);
    }
}

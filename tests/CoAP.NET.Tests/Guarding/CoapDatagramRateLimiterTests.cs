using System.Net;
using System.Threading.Tasks.Dataflow;
using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Guarding;

/// <summary>The block that drops what a source sends beyond its rate.</summary>
public sealed class CoapDatagramRateLimiterTests
{
    private readonly VirtualClock _clock = new();
    private readonly CoapDatagramPool _pool = new(64);
    private CoapDatagramRateLimiter _limiter;

    public CoapDatagramRateLimiterTests() => _limiter = Make(perSecond: 10, burst: 20);

    [Fact]
    public void A_source_has_its_burst_at_once_and_then_its_rate()
    {
        Assert.Equal(20, Send(30, "192.0.2.1"));
        Assert.Equal(10, _limiter.Dropped);

        _clock.Advance(FromSeconds(1));
        Assert.Equal(10, Send(30, "192.0.2.1"));
        _clock.Advance(FromMinutes(1));
        Assert.Equal(20, Send(30, "192.0.2.1"));
    }

    [Fact]
    public void All_ports_of_an_address_and_all_addresses_of_an_IPv6_network_are_one_source()
    {
        Assert.Equal(20, Send(30, "192.0.2.1") + Send(30, "192.0.2.1", port: 9));
        Assert.Equal(20, Send(30, "2001:db8:0:1::1") + Send(30, "2001:db8:0:1::2"));
        Assert.Equal(20, Send(30, "192.0.2.2"));
    }

    [Fact]
    public void A_flood_from_100_000_addresses_does_not_reduce_the_rate_of_other_clients()
    {
        for (int i = 0; i < 100_000; i++)
        {
            Send(1, $"10.{i >> 16}.{(i >> 8) & 255}.{i & 255}");
            if (i % 100 == 0)
            {
                _clock.Advance(TimeSpan.FromMilliseconds(100));
            }
        }

        Assert.All(Enumerable.Range(1, 100), i => Assert.Equal(1, Send(1, $"198.51.100.{i}")));
    }

    [Fact]
    public void Datagrams_of_a_stream_transport_are_not_limited()
    {
        CoapTransport connections = new CoapDuplexPipeTransport(new CoapDuplexPipeTransportOptions());
        Assert.Equal(30, Send(30, "192.0.2.1", transport: connections));
        Assert.Equal(0, _limiter.Dropped);
    }

    [Fact]
    public void Rates_and_bursts_that_pass_nothing_are_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Make(perSecond: 0, burst: 1));
        Assert.Throws<ArgumentOutOfRangeException>(() => Make(perSecond: 1, burst: 0));
    }

    private CoapDatagramRateLimiter Make(double perSecond, int burst)
    {
        _limiter = new CoapDatagramRateLimiter(perSecond, burst, _clock);
        _limiter.LinkTo(new ActionBlock<CoapDatagram>(static _ => { }), new DataflowLinkOptions());
        return _limiter;
    }

    // Returns how many passed.
    private int Send(int count, string address, int port = 5683, CoapTransport? transport = null)
    {
        long dropped = _limiter.Dropped;
        for (int i = 0; i < count; i++)
        {
            CoapDatagram datagram = _pool.Rent();
            datagram.Remote = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), port));
            datagram.Transport = transport;
            Assert.True(_limiter.Post(datagram));
        }

        return count - (int)(_limiter.Dropped - dropped);
    }
}

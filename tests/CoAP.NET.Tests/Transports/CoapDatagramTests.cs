using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports;

public class CoapDatagramTests
{
    [Fact]
    public void A_disposed_datagram_has_no_ReceivedAt()
    {
        CoapDatagram datagram = new(4) { ReceivedAt = 1 };
        datagram.Dispose();
        Assert.Equal(0, datagram.ReceivedAt);
    }

    [Fact]
    public void TryTakeBack_succeeds_after_a_lent_datagram_is_disposed()
    {
        CoapDatagramPool pool = new(16, pinned: true);
        CoapDatagram datagram = pool.Rent();

        datagram.Lend();
        datagram.Dispose();

        Assert.True(datagram.TryTakeBack());
        Assert.NotSame(datagram, pool.Rent());
    }

    [Fact]
    public void A_lent_datagram_that_is_not_taken_back_returns_to_the_pool_when_disposed()
    {
        CoapDatagramPool pool = new(16, pinned: true);
        CoapDatagram datagram = pool.Rent();

        datagram.Lend();
        Assert.False(datagram.TryTakeBack());
        datagram.Dispose();
        datagram.Dispose();

        Assert.Same(datagram, pool.Rent());
        Assert.NotSame(datagram, pool.Rent());
    }

    [Fact]
    public void A_rented_datagram_has_no_properties_of_its_last_use()
    {
        CoapDatagramPool pool = new(16);
        CoapDatagram used = pool.Rent();
        (used.Length, used.IsTruncated, used.IsLast, used.TransportTag) = (7, true, true, 3);
        used.Dispose();

        using CoapDatagram again = pool.Rent();

        Assert.Same(used, again);
        Assert.Equal((0, false, false, 0), (again.Length, again.IsTruncated, again.IsLast, (int)again.TransportTag));
    }

    [Fact]
    public void Two_pools_on_one_thread_keep_their_own_buffers()
    {
        CoapDatagramPool first = new(16);
        CoapDatagramPool second = new(16);
        CoapDatagram one = first.Rent();
        CoapDatagram two = second.Rent();

        one.Dispose();
        two.Dispose();

        Assert.Same(one, first.Rent());
        Assert.Same(two, second.Rent());
    }

    [Fact]
    public void Disposing_a_lent_datagram_clears_its_transport()
    {
        CoapDatagramPool pool = new(16, pinned: true);
        CoapDatagram datagram = pool.Rent();
        datagram.Transport = new CoapUdpTransport();
        datagram.Lend();

        datagram.Dispose();

        Assert.Null(datagram.Transport);
    }
}

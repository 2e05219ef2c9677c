using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports;

public class CoapDatagramTests
{
    [Fact]
    public void A_datagram_that_is_used_again_has_no_time_of_before()
    {
        CoapDatagram datagram = new(4) { ReceivedAt = 1 };
        datagram.Dispose();
        Assert.Equal(0, datagram.ReceivedAt);
    }

    [Fact]
    public void A_lent_datagram_comes_back_in_place_when_it_is_disposed()
    {
        CoapDatagramPool pool = new(16, pinned: true);
        CoapDatagram datagram = pool.Rent();

        datagram.Lend();
        datagram.Dispose();

        Assert.True(datagram.TryTakeBack());
        Assert.NotSame(datagram, pool.Rent());
    }

    [Fact]
    public void A_lent_datagram_that_is_kept_belongs_to_the_pool_from_then_on()
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
    public void A_rented_datagram_has_nothing_of_its_last_use_but_the_bytes()
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
    public void Two_pools_on_one_thread_do_not_lose_each_others_buffers()
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
    public void Giving_back_forgets_who_it_was_for()
    {
        CoapDatagramPool pool = new(16, pinned: true);
        CoapDatagram datagram = pool.Rent();
        datagram.Transport = new CoapUdpTransport();
        datagram.Lend();

        datagram.Dispose();

        Assert.Null(datagram.Transport);
    }
}

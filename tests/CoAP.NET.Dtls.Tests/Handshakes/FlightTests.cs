namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>Handshakes on paths that lose, double, swap and cut datagrams (RFC 6347 section 4.2.4).</summary>
public sealed class FlightTests
{
    // Small enough that each flight with a certificate has several datagrams.
    private const int SmallMtu = 300;

    public static TheoryData<HandshakeKind, bool> Kinds => new(
        from kind in Enum.GetValues<HandshakeKind>() from isSplit in new[] { false, true } select (kind, isSplit));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Each_lost_datagram_comes_back_by_a_timer(HandshakeKind kind, bool isSplit)
    {
        int all = Count(kind, isSplit);
        Assert.InRange(all, 5, 40);
        for (int lost = 0; lost < all; lost++)
        {
            using HandshakeScene scene = new(kind, SmallMtu);
            TimeSpan begin = scene.Clock.Elapsed;
            int sent = 0;
            scene.Path = (flight, _) => [.. Split(flight, isSplit).Where(_ => sent++ != lost)];
            scene.Complete();
            Assert.True(sent > lost);

            // A ChangeCipherSpec alone changes nothing: the epoch of a record tells how it is protected.
            Assert.InRange(scene.Clock.Elapsed - begin, isSplit ? Zero : FromSeconds(1), FromSeconds(3));
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Doubled_datagrams_change_nothing(HandshakeKind kind, bool isSplit)
    {
        using HandshakeScene scene = new(kind, SmallMtu);
        int sent = 0;
        int arrived = 0;
        TimeSpan begin = scene.Clock.Elapsed;
        scene.Path = (flight, _) =>
        {
            byte[][] once = [.. Split(flight, isSplit)];
            sent += once.Length;
            arrived += 2 * once.Length;
            return [.. once.SelectMany(static one => new[] { one, one })];
        };
        scene.Complete();
        Assert.Equal(2 * sent, arrived);
        Assert.Equal(begin, scene.Clock.Elapsed);

        // The second cookie request, because the server has no state yet, and its copy; else as many as on a path that doubles nothing.
        Assert.InRange(sent, Count(kind, isSplit), Count(kind, isSplit) + 2);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_whole_flight_that_arrives_twice_changes_nothing(HandshakeKind kind, bool isSplit)
    {
        using HandshakeScene scene = new(kind, SmallMtu);
        TimeSpan begin = scene.Clock.Elapsed;
        scene.Path = (flight, _) => [.. Split(flight, isSplit), .. Split(flight, isSplit)];
        scene.Complete();
        Assert.Equal(begin, scene.Clock.Elapsed);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_flight_in_reverse_order_completes_without_a_timer(HandshakeKind kind, bool isSplit)
    {
        using HandshakeScene scene = new(kind, SmallMtu);
        TimeSpan begin = scene.Clock.Elapsed;
        scene.Path = (flight, _) => [.. Split(flight, isSplit).Reverse()];
        scene.Complete();
        Assert.Equal(begin, scene.Clock.Elapsed);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Each_two_neighbours_may_swap(HandshakeKind kind, bool isSplit)
    {
        int all = Count(kind, isSplit);
        for (int first = 0; first < all; first++)
        {
            using HandshakeScene scene = new(kind, SmallMtu);
            TimeSpan begin = scene.Clock.Elapsed;
            int sent = 0;
            scene.Path = (flight, _) =>
            {
                byte[][] order = [.. Split(flight, isSplit)];
                int at = first - sent;
                sent += order.Length;
                if (at >= 0 && at + 1 < order.Length)
                {
                    (order[at], order[at + 1]) = (order[at + 1], order[at]);
                }

                return order;
            };
            scene.Complete();
            Assert.Equal(begin, scene.Clock.Elapsed);
        }
    }

    [Theory]
    [InlineData(HandshakeKind.Psk)]
    [InlineData(HandshakeKind.EcdhePsk)]
    [InlineData(HandshakeKind.Ecdsa)]
    [InlineData(HandshakeKind.EcdsaMutual)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    [InlineData(HandshakeKind.Resumed)]
    public void A_record_cut_off_at_any_length_is_ignored(HandshakeKind kind)
    {
        int all = Count(kind, isSplit: true);
        for (int cut = 0; cut < all; cut++)
        {
            using HandshakeScene scene = new(kind, SmallMtu);
            int sent = 0;
            scene.Path = (flight, isFromClient) => Cut(flight, isFromClient).ToList();
            scene.Complete();
            Assert.True(sent > cut);

            IEnumerable<byte[]> Cut(IReadOnlyList<byte[]> flight, bool isFromClient)
            {
                foreach (byte[] record in Split(flight, isSplit: true))
                {
                    if (sent++ != cut)
                    {
                        Deliver(record, isFromClient);
                        continue;
                    }

                    string before = StateOf(scene);
                    for (int length = 0; length < record.Length; length++)
                    {
                        Deliver(record[..length], isFromClient);
                    }

                    Assert.Equal(before, StateOf(scene));
                }

                return [];
            }

            void Deliver(byte[] record, bool isFromClient)
            {
                if (isFromClient)
                {
                    scene.ToServer([.. record]);
                }
                else
                {
                    scene.ToClient([.. record]);
                }
            }
        }
    }

    [Theory]
    [InlineData(HandshakeKind.Psk)]
    [InlineData(HandshakeKind.Resumed)]
    public void A_datagram_cut_off_at_any_length_comes_back_whole(HandshakeKind kind)
    {
        int all = Count(kind, isSplit: false);
        for (int cut = 0; cut < all; cut++)
        {
            int whole = int.MaxValue;
            for (int length = 0; length < whole; length++)
            {
                using HandshakeScene scene = new(kind, SmallMtu);
                int sent = 0;
                scene.Path = (flight, _) => [.. flight.Select(datagram => sent++ == cut ? datagram[..Rest(datagram)] : datagram)];
                scene.Complete();

                int Rest(byte[] datagram)
                {
                    whole = datagram.Length;
                    return length;
                }
            }

            Assert.InRange(whole, RecordHeader.Size, SmallMtu);
        }
    }

    // The timer of the end that sent the lost flight does not run: the other end sends its own again, and shows what it misses.
    [Theory]
    [InlineData(HandshakeKind.Psk, false)]
    [InlineData(HandshakeKind.EcdsaMutual, false)]
    [InlineData(HandshakeKind.Psk, true)]
    [InlineData(HandshakeKind.EcdsaMutual, true)]
    [InlineData(HandshakeKind.Resumed, true)]
    public void A_repeated_flight_makes_the_other_end_repeat_its_answer(HandshakeKind kind, bool isOfServer)
    {
        using HandshakeScene scene = new(kind);
        bool isLost = false;
        scene.Path = (flight, isFromClient) =>
        {
            bool isDue = !isLost && isFromClient != isOfServer && scene.Server is not null;
            isLost |= isDue;
            return isDue ? [] : flight;
        };
        scene.Client.Start(null);
        scene.Carry();
        Assert.True(isLost && !scene.IsDone);
        scene.Clock.Advance(FromSeconds(1));
        if (isOfServer)
        {
            scene.Client.OnTimeout();
        }
        else
        {
            scene.Server!.OnTimeout();
        }

        scene.Carry();
        scene.AssertSession();
    }

    // Number of datagrams of a handshake on a good path.
    private static int Count(HandshakeKind kind, bool isSplit)
    {
        using HandshakeScene scene = new(kind, SmallMtu);
        int sent = 0;
        scene.Path = (flight, _) =>
        {
            byte[][] all = [.. Split(flight, isSplit)];
            sent += all.Length;
            return all;
        };
        scene.Complete();
        return sent;
    }

    private static IEnumerable<byte[]> Split(IReadOnlyList<byte[]> flight, bool isSplit) =>
        isSplit ? flight.SelectMany(Wire.Records) : flight;

    private static string StateOf(HandshakeScene scene) =>
        $"{scene.Client.Status} {scene.Client.Progress} {scene.Client.Heard} {scene.Client.Forgeries} {scene.Client.Refusals} "
        + $"{scene.Server?.Status} {scene.Server?.Progress} {scene.Server?.Forgeries} "
        + $"{scene.Client.NextTimeout()} {scene.Server?.NextTimeout()}";
}

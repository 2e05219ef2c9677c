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
    public void Each_lost_datagram_is_retransmitted_by_a_timer_and_the_handshake_completes(HandshakeKind kind, bool isSplit)
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
    public void A_handshake_in_which_each_datagram_arrives_twice_completes_without_a_retransmission(HandshakeKind kind, bool isSplit)
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
    public void A_handshake_in_which_each_flight_arrives_twice_completes_without_a_timer(HandshakeKind kind, bool isSplit)
    {
        using HandshakeScene scene = new(kind, SmallMtu);
        TimeSpan begin = scene.Clock.Elapsed;
        scene.Path = (flight, _) => [.. Split(flight, isSplit), .. Split(flight, isSplit)];
        scene.Complete();
        Assert.Equal(begin, scene.Clock.Elapsed);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_handshake_with_flights_in_reverse_order_completes_without_a_timer(HandshakeKind kind, bool isSplit)
    {
        using HandshakeScene scene = new(kind, SmallMtu);
        TimeSpan begin = scene.Clock.Elapsed;
        scene.Path = (flight, _) => [.. Split(flight, isSplit).Reverse()];
        scene.Complete();
        Assert.Equal(begin, scene.Clock.Elapsed);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void A_handshake_in_which_two_consecutive_datagrams_are_swapped_completes_without_a_timer(HandshakeKind kind, bool isSplit)
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
    public void A_truncated_record_does_not_change_the_state_of_a_handshake(HandshakeKind kind)
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
    public void A_handshake_completes_after_a_datagram_was_truncated_at_any_length(HandshakeKind kind)
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
    public void An_end_that_receives_a_repeated_flight_sends_its_own_last_flight_again(HandshakeKind kind, bool isOfServer)
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

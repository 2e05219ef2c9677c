using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;

namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>Messages in fragments (RFC 6347 section 4.2.3).</summary>
public sealed class FragmentTests
{
    public enum Order
    {
        Forward,
        Reverse,
        Random,
    }

    public static TheoryData<HandshakeKind, Order> Orders => new(
        from kind in Enum.GetValues<HandshakeKind>() from order in Enum.GetValues<Order>() select (kind, order));

    [Theory]
    [MemberData(nameof(Orders))]
    public void A_handshake_completes_with_messages_in_fragments_of_any_length_and_order(HandshakeKind kind, Order order)
    {
        for (int length = 1; length <= Longest(kind); length++)
        {
            Complete(kind, order, length, length, seed: length);
        }
    }

    [Theory]
    [MemberData(nameof(Orders))]
    public void A_handshake_completes_with_overlapping_fragments_in_any_order(HandshakeKind kind, Order order)
    {
        foreach (int length in new[] { 2, 3, 7, 20, 64, 100 })
        {
            foreach (int step in new[] { 1, (length + 1) / 2, length - 1 })
            {
                Complete(kind, order, length, step, seed: length + step);
            }
        }
    }

    [Theory]
    [MemberData(nameof(Orders))]
    public void A_handshake_completes_although_lost_fragments_are_resent_with_another_length(HandshakeKind kind, Order order)
    {
        for (int seed = 1; seed <= 5; seed++)
        {
            using HandshakeScene scene = new(kind);
            Random random = new(seed);
            int flights = 0;
            scene.Path = (flight, _) =>
            {
                // The half of each of the first flights is lost.
                bool isLossy = flights++ < 8;
                int length = random.Next(5, 90);
                return [.. Arrange(Fragments(flight, length, length), order, random).Where(_ => !isLossy || random.Next(2) == 0)];
            };
            scene.Complete();
        }
    }

    // Fragments that anybody may have sent: of a message with the right number and another length.
    [Theory]
    [InlineData(HandshakeKind.Psk, false)]
    [InlineData(HandshakeKind.EcdhePsk, false)]
    [InlineData(HandshakeKind.EcdsaMutual, false)]
    [InlineData(HandshakeKind.RawPublicKeys, false)]
    [InlineData(HandshakeKind.Psk, true)]
    [InlineData(HandshakeKind.EcdhePsk, true)]
    [InlineData(HandshakeKind.EcdsaMutual, true)]
    [InlineData(HandshakeKind.RawPublicKeys, true)]
    public void A_handshake_completes_despite_a_forged_fragment_of_each_message(HandshakeKind kind, bool isReverse)
    {
        using HandshakeScene scene = new(kind);
        TimeSpan begin = scene.Clock.Elapsed;
        scene.Path = (flight, _) =>
        {
            byte[][] records = [.. flight.SelectMany(Wire.Records).SelectMany(WithForged)];
            if (isReverse && scene.Clock.Elapsed == begin)
            {
                Array.Reverse(records);
            }

            return records;
        };
        scene.Complete();
    }

    private static byte[][] WithForged(byte[] record)
    {
        if (Wire.TypeOf(record) is null or HandshakeType.ClientHello)
        {
            return [record];
        }

        Assert.True(MessageHeader.TryRead(record.AsSpan(RecordHeader.Size), out MessageHeader header));
        return [Wire.Record(ContentType.Handshake, Wire.Fragment(header with { Length = header.Length + 5 }, 1, [7])), record];
    }

    private static void Complete(HandshakeKind kind, Order order, int length, int step, int seed)
    {
        using HandshakeScene scene = new(kind);
        Random random = new(seed);
        TimeSpan begin = scene.Clock.Elapsed;
        scene.Path = (flight, _) => [.. Arrange(Fragments(flight, length, step), order, random)];
        scene.Complete();

        // Without a timer, unless more gaps were open at a time than an end keeps.
        Assert.True(order == Order.Random || begin == scene.Clock.Elapsed);
    }

    private static IEnumerable<byte[]> Fragments(IReadOnlyList<byte[]> flight, int length, int step) =>
        flight.SelectMany(Wire.Records).SelectMany(record => Wire.Fragments(record, length, step));

    private static byte[][] Arrange(IEnumerable<byte[]> fragments, Order order, Random random)
    {
        byte[][] all = [.. fragments];
        switch (order)
        {
            case Order.Reverse:
                Array.Reverse(all);
                break;
            case Order.Random:
                random.Shuffle(all);
                break;
            default:
                break;
        }

        return all;
    }

    // Bytes of the longest message, other than ClientHello.
    private static int Longest(HandshakeKind kind)
    {
        using HandshakeScene scene = new(kind);
        int longest = 0;
        scene.Path = (flight, _) =>
        {
            foreach (byte[] record in flight.SelectMany(Wire.Records))
            {
                if (Wire.TypeOf(record) is not (null or HandshakeType.ClientHello))
                {
                    longest = Math.Max(longest, record.Length - RecordHeader.Size - MessageHeader.Size);
                }
            }

            return flight;
        };
        scene.Complete();
        return longest;
    }
}

using System.Collections;
using System.Reflection;
using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;

namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>The bounds of what an end keeps of messages that are not whole (RFC 6347 section 4.2.3).</summary>
public sealed class MessageAssemblerTests
{
    private const ushort First = 2;
    private const int MaxMessages = 7;
    private const int MaxRanges = 64;

    [Theory]
    [InlineData(100)]
    [InlineData(16_384)]
    [InlineData(0xFFFFFF)]
    public void The_assembler_holds_no_more_bytes_than_its_maximum_whatever_length_a_message_announces(int length)
    {
        const int Max = 4_096;
        MessageAssembler messages = new(First, Max);
        Random random = new(1);
        for (int i = 0; i < 20_000; i++)
        {
            int offset = random.Next(3) == 0 ? random.Next(length) : random.Next(Math.Min(length, 2_000));
            byte[] fragment = new byte[random.Next(Math.Min(length - offset, 300) + 1)];
            HandshakeType type = (HandshakeType)random.Next(256);
            _ = messages.TryAdd(new MessageHeader(type, length, (ushort)random.Next(20), offset, fragment.Length), fragment);
            Assert.InRange(Held(messages), 0, Max);
        }

        Assert.InRange(Held(messages), 100, Max);
    }

    [Fact]
    public void The_assembler_allocates_memory_only_for_the_bytes_of_a_message_that_arrived()
    {
        MessageAssembler messages = new(First, 16_384);
        Assert.True(messages.TryAdd(new MessageHeader(HandshakeType.Certificate, 0xFFFFFF, First, 0, 1), [1]));
        Assert.Equal(MessageHeader.Size + 1, Held(messages));
        Assert.False(messages.TryAdd(new MessageHeader(HandshakeType.Certificate, 0xFFFFFF, First, 0xFFFFFE, 1), [1]));
        Assert.Equal(MessageHeader.Size + 1, Held(messages));
    }

    [Fact]
    public void The_assembler_holds_at_most_seven_messages()
    {
        MessageAssembler messages = new(First, int.MaxValue);
        for (int number = 0; number <= ushort.MaxValue; number++)
        {
            bool isTaken = messages.TryAdd(new MessageHeader(HandshakeType.Certificate, 5, (ushort)number, 0, 0), []);
            Assert.Equal(number is >= First and < First + MaxMessages, isTaken);
        }

        Assert.Equal(MaxMessages, Count(messages));
    }

    [Fact]
    public void The_assembler_keeps_at_most_64_ranges_of_a_message_and_still_completes_the_message()
    {
        const int Length = 1_000;
        MessageAssembler messages = new(First, int.MaxValue);
        byte[] content = [.. Enumerable.Range(0, Length).Select(static i => (byte)i)];
        for (int i = 0; i < Length; i += 2)
        {
            Assert.Equal(i < 2 * MaxRanges, TryAdd(i, 1));
        }

        // A fragment that continues one of them.
        Assert.True(TryAdd(1, 1));
        Assert.False(messages.TryPeek(out _, out _));
        Assert.True(TryAdd(0, Length));
        Assert.True(messages.TryPeek(out HandshakeType type, out ReadOnlyMemory<byte> whole));
        Assert.Equal(HandshakeType.Certificate, type);
        Assert.Equal(content, whole[MessageHeader.Size..].ToArray());

        bool TryAdd(int offset, int length) => messages.TryAdd(
            new MessageHeader(HandshakeType.Certificate, Length, First, offset, length), content.AsSpan(offset, length));
    }

    [Theory]
    [InlineData(true, 40)]
    [InlineData(false, 20)]
    public void A_whole_message_replaces_a_forged_fragment_with_the_same_number(bool isOfSameType, int length)
    {
        HandshakeType type = isOfSameType ? HandshakeType.Certificate : HandshakeType.ClientKeyExchange;
        MessageAssembler messages = new(First, 1_000);
        Assert.True(messages.TryAdd(new MessageHeader(HandshakeType.Certificate, 20, First, 3, 1), [9]));
        byte[] real = [.. Enumerable.Range(0, length).Select(static i => (byte)i)];
        Assert.True(messages.TryAdd(new MessageHeader(type, length, First, 0, length), real));
        Assert.True(messages.TryPeek(out HandshakeType arrived, out ReadOnlyMemory<byte> whole));
        Assert.Equal(type, arrived);
        Assert.Equal(real, whole[MessageHeader.Size..].ToArray());
        Assert.Equal(MessageHeader.Size + length, Held(messages));
    }

    [Fact]
    public void An_assembled_message_has_the_header_and_bytes_of_a_message_in_one_fragment()
    {
        MessageAssembler messages = new(First, 1_000);
        MessageHeader header = new(HandshakeType.CertificateVerify, 300, First, 100, 200);
        byte[] content = [.. Enumerable.Range(0, 300).Select(static i => (byte)i)];
        Assert.True(messages.TryAdd(header, content.AsSpan(100)));
        Assert.True(messages.TryAdd(header with { Offset = 0, FragmentLength = 150 }, content.AsSpan(0, 150)));
        Assert.True(messages.TryPeek(out _, out ReadOnlyMemory<byte> whole));
        Assert.Equal(Wire.Fragment(header, 0, content), whole.ToArray());
        messages.Accept();
        Assert.Equal((First + 1, 0, 0), (messages.Next, Held(messages), Count(messages)));
    }

    [Fact]
    public void Dropping_a_message_or_restarting_frees_the_memory_of_the_assembler()
    {
        MessageAssembler messages = new(First, 1_000);
        Assert.True(messages.TryAdd(new MessageHeader(HandshakeType.Certificate, 0, First, 0, 0), []));
        messages.Drop();
        Assert.Equal((First, 0, 0), (messages.Next, Held(messages), Count(messages)));
        Assert.True(messages.TryAdd(new MessageHeader(HandshakeType.Certificate, 9, First, 0, 5), new byte[5]));
        messages.Restart(5);
        Assert.Equal((5, 0, 0), (messages.Next, Held(messages), Count(messages)));
    }

    private static IList Messages(MessageAssembler messages) =>
        (IList)typeof(MessageAssembler).GetField("_messages", BindingFlags.NonPublic | BindingFlags.Instance)!.GetValue(messages)!;

    private static int Count(MessageAssembler messages) => Messages(messages).Count;

    // The bytes of its arrays, whatever it counts.
    private static int Held(MessageAssembler messages) => Messages(messages).Cast<object>().Sum(static message =>
        ((byte[])message.GetType().GetField("_bytes", BindingFlags.NonPublic | BindingFlags.Instance)!.GetValue(message)!).Length);
}

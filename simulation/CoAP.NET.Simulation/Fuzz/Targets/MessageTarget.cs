using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// A serializer: what it reads is what a second reader reads; every way of reading agrees; what is read is written again byte for byte, as
/// each message has one encoding only.
/// </summary>
internal abstract class MessageTarget(CoapMessageSerializer serializer, WireShape shape) : FuzzTarget
{
    // Streams and pipes cost ten times as much as spans and share most of the code, so they have every so manieth input.
    private const ulong StreamPeriod = 32;

    private readonly MessageMutator _messages = new(shape);
    private readonly ByteMutator _bytes = new(s_dictionary);
    private readonly byte[] _written = new byte[4096];
    private static readonly byte[][] s_dictionary = [[0xff], [0xff, 0x00], [0xd0, 0x00], [0xe0, 0x00, 0x00], [0xe0, 0xff, 0xff],
        [0x0d, 0x00], [0x0e, 0xff, 0xff], [0xdd, 0xff, 0xff], [0xb1, 0x61], [0x60], [0xd1, 0x0a, 0x08]];

    public override int Share => 6000;

    protected CoapMessageSerializer Serializer => serializer;

    protected ReferenceMessage Reference { get; } = new();

    public override void Mutate(FuzzBuffer buffer, FuzzRandom random, byte[] other)
    {
        if (random.OneOf(3))
        {
            _bytes.Mutate(buffer, 0, buffer.Length, random, other);
        }
        else
        {
            _messages.Mutate(buffer, 0, buffer.Length, random);
        }
    }

    /// <summary>
    /// The message at the beginning of an input, read by both readers in the ways that are cheap; null when there is none.
    /// </summary>
    protected CoapMessage? Read(byte[] input, bool? expected, int length, out CoapFormatError error)
    {
        if (IsPlanted("throw") && input.AsSpan().IndexOf((byte)0xd7) == 5)
        {
            // As a parser that looks one byte too far.
            _ = input[input.Length];
        }

        ReadOnlySpan<byte> exact = input.AsSpan(0, length);
        BeginMeter(factor: 16);
        bool isRead = serializer.TryDeserialize(exact, out CoapMessage? message, out error);
        EndMeter(input.Length, "Reading");
        Check(isRead == (expected == true), "verdict",
            $"The library says {(isRead ? "yes" : error.ToString())}, the second reader {(expected == true ? "yes" : "no")}.");
        Check(isRead == error.IsNone && error.Offset >= 0 && error.Offset <= Math.Max(length, serializer.MaxMessageSize), "error",
            $"{isRead} with {error}");
        bool isReadFromMemory = serializer.TryDeserialize(new ReadOnlyMemory<byte>(input, 0, length), out CoapMessage? second,
            out CoapFormatError secondError);
        Check(isRead == isReadFromMemory && error.Equals(secondError), "memory-differs", $"span: {error}, memory: {secondError}");
        if (message is null)
        {
            return null;
        }

        CheckFields(message, input);
        CheckSame(message, second!, "memory-differs");
        return message;
    }

    /// <summary>Reads an input that is one message, or none, in all ways.</summary>
    protected ulong RunWhole(byte[] input, bool expected, out CoapMessage? message)
    {
        message = Read(input, expected, input.Length, out CoapFormatError error);
        ulong seed = SeedOf(input);
        bool isRead = Serializer.TryDeserialize(SplitSequence.Make(input, seed), out CoapMessage? split, out SequencePosition _,
            out CoapFormatError splitError);
        Check(isRead == (message is not null) && splitError.Equals(error), "sequence", $"In one piece: {error}; in several: {splitError}.");
        if (message is not null)
        {
            CheckSame(message, split!, "sequence");
            CheckWritten(message, input);
        }

        CheckSlowWays(input, input.Length, message, error, seed);
        return Signature(message, error);
    }

    /// <summary>What was read, field by field.</summary>
    private void CheckFields(CoapMessage message, ReadOnlySpan<byte> input)
    {
        Span<byte> token = stackalloc byte[message.Token.Length <= 256 ? message.Token.Length : 0];
        if (message.Token.Length <= 256)
        {
            message.Token.CopyTo(token);
        }

        bool isSame = (int)message.Type == Reference.Type && message.Code.Value == Reference.Code
            && message.MessageId == Reference.MessageId
            && message.Token.Length == Reference.TokenLength
            && (token.Length == 0 || token.SequenceEqual(input.Slice(Reference.TokenAt, Reference.TokenLength)))
            && message.Payload.Span.SequenceEqual(input[Reference.PayloadAt..(int)Reference.End])
            && (message.OptionsToRead?.Count ?? 0) == Reference.Options;
        for (int i = 0; isSame && i < Reference.Options; i++)
        {
            isSame = message.Options.NumberAt(i) == Reference.Numbers[i]
                && message.Options.ValueAt(i).SequenceEqual(input.Slice(Reference.ValueAt[i], Reference.ValueLength[i]));
        }

        Check(isSame, "fields",
            $"The library reads {message}; the second reader code {Reference.Code}, {Reference.Options} options, payload at {Reference.PayloadAt}.");
    }

    /// <summary>A message is written as it was read, and what is written is what was announced.</summary>
    protected void CheckWritten(CoapMessage message, ReadOnlySpan<byte> original)
    {
        // RFC 7252 section 4.1 forbids to send an Empty message with content; RFC 8323 section 3.4 has receivers of streams ignore Empty
        // messages whatever they hold. So such a frame is read, as the connection must go on behind it, and never written.
        if (IsUnwritable(message))
        {
            CheckRefused(message);
            return;
        }

        if (IsPlanted("drop-option") && message.HasOptions && message.Options.Contains(OptionNumber.IfNoneMatch))
        {
            message.Options.Remove(OptionNumber.IfNoneMatch);
        }

        long size = serializer.GetSize(message);
        Check(size == original.Length, "size", $"GetSize says {size} for a message of {original.Length} B.");
        Check(serializer.TrySerialize(_written.AsSpan(0, original.Length), message, out int written), "written",
            "It does not fit where it came from.");
        Check(_written.AsSpan(0, written).SequenceEqual(original), "written",
            $"{Convert.ToHexStringLower(_written.AsSpan(0, written))} was written for {Convert.ToHexStringLower(original)}.");
        Check(!serializer.TrySerialize(_written.AsSpan(0, original.Length - 1), message, out _), "written",
            "It fits into one byte less than it has.");
    }

    /// <summary>All that costs more: arrays, buffer writers, streams, pipes.</summary>
    protected void CheckSlowWays(byte[] input, int length, CoapMessage? message, CoapFormatError error, ulong seed)
    {
        if (seed % StreamPeriod != 0)
        {
            return;
        }

        byte[] exact = input[..length];
        Agree(message, error, () => serializer.Deserialize(exact), "array");
        Agree(message, error, () => serializer.Deserialize(new MemoryStream(exact, 0, length, false, publiclyVisible: true)),
            "memory stream");
        Agree(message, error, () => serializer.Deserialize(new TrickleStream(exact, 1 + (int)(seed % 7))), "stream");
        Agree(message, error, () => Ended(serializer.DeserializeAsync(new TrickleStream(exact, 1 + (int)(seed % 5)))),
            "asynchronous stream");
        Agree(message, error, () => Ended(serializer.DeserializeAsync(PipeReader.Create(SplitSequence.Make(exact, seed)))), "pipe");
        if (message is null || IsUnwritable(message))
        {
            return;
        }

        ArrayBufferWriter<byte> writer = new();
        using MemoryStream stream = new();
        using MemoryStream asynchronous = new();
        serializer.Serialize(writer, message);
        serializer.Serialize(stream, message);
        ValueTask writing = serializer.SerializeAsync(asynchronous, message);
        Check(writing.IsCompletedSuccessfully, "ways", "Writing into memory did not complete.");
        Check(serializer.Serialize(message).AsSpan().SequenceEqual(writer.WrittenSpan) && writer.WrittenSpan.SequenceEqual(stream.ToArray())
            && writer.WrittenSpan.SequenceEqual(asynchronous.ToArray()), "ways", "The ways of writing differ.");
    }

    protected static void CheckSame(CoapMessage one, CoapMessage other, string oracle)
    {
        bool isSame = one.Type == other.Type && one.Code == other.Code && one.MessageId == other.MessageId && one.Token == other.Token
            && one.Payload.Span.SequenceEqual(other.Payload.Span)
            && (one.OptionsToRead?.Count ?? 0) == (other.OptionsToRead?.Count ?? 0);
        for (int i = 0; isSame && i < (one.OptionsToRead?.Count ?? 0); i++)
        {
            isSame = one.Options.NumberAt(i) == other.Options.NumberAt(i) && one.Options.ValueAt(i).SequenceEqual(other.Options.ValueAt(i));
        }

        Check(isSame, oracle, $"{one} and {other} are not the same.");
    }

    /// <summary>What behaved alike has the same number: rule and offset, or class of the code, token length, the last option.</summary>
    protected ulong Signature(CoapMessage? message, CoapFormatError error)
    {
        if (message is null)
        {
            return ((ulong)error.Rule << 8) | Small(error.Offset, 7);
        }

        // Coarse on purpose: what is finer fills the corpus with inputs that lead nowhere. Branches are counted by the map.
        ulong signature = 0x1_0000 | ((ulong)(message.Code.Value >> 5) << 8) | (Small(message.Token.Length, 14) << 4)
            | (message.Payload.IsEmpty ? 0u : 1u);
        int last = Reference.Options - 1;
        return last < 0
            ? signature
            : FuzzRandom.Mix(signature,
                (Small(Reference.Numbers[last], 70) << 8) | (Small(Reference.ValueLength[last], 14) << 4) | Small(Reference.Options, 4));
    }

    protected static ulong SeedOf(ReadOnlySpan<byte> input)
    {
        ulong seed = (ulong)input.Length;
        foreach (byte one in input)
        {
            seed = (seed * 0x100_0000_01b3) ^ one;
        }

        return FuzzRandom.Mix(seed, 7);
    }

    private static bool IsUnwritable(CoapMessage message) =>
        message.IsEmpty && (message.Token.Length > 0 || message.HasOptions || !message.Payload.IsEmpty);

    private void CheckRefused(CoapMessage message)
    {
        try
        {
            serializer.GetSize(message);
        }
        catch (ArgumentException)
        {
            return;
        }

        throw new FuzzFailureException("empty", "An Empty message with content was written.");
    }

    private void Agree(CoapMessage? expected, CoapFormatError error, Func<CoapMessage> read, string way)
    {
        CoapMessage? message = null;
        CoapFormatError seen = default;
        try
        {
            message = read();
        }
        catch (CoapFormatException exception)
        {
            seen = new CoapFormatError(exception.Rule, exception.Position);
        }

        if (IsPlanted("async-differs") && way == "asynchronous stream" && message is { Token.Length: 8 })
        {
            message.Code = CoapCode.Delete;
        }

        // A stream that ends within a message, and a datagram that does, are told in the words of their source.
        Check((message is null) == (expected is null) && (seen.Equals(error) || expected is null && EndsEarly(seen) && EndsEarly(error)),
            "ways",
            $"As {way}: {seen}; as span: {error}.");
        if (expected is not null)
        {
            CheckSame(expected, message!, "ways");
        }
    }

    private static bool EndsEarly(CoapFormatError error) =>
        error.Rule is CoapMessageFormatViolation.EndOfStream or CoapMessageFormatViolation.HeaderTruncated
            or CoapMessageFormatViolation.TokenTruncated or CoapMessageFormatViolation.TrailingBytes;

    private static CoapMessage Ended(ValueTask<CoapMessage> task)
    {
        Check(task.IsCompleted, "ways", "Reading what is there did not complete.");
        return task.GetAwaiter().GetResult();
    }
}

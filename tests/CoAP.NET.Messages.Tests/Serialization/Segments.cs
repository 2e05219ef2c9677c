using System.Buffers;

namespace CoAP.NET.Tests.Serialization;

/// <summary>Sequences of segments of a given size, each in an array of its own.</summary>
internal sealed class Segments : ReadOnlySequenceSegment<byte>
{
    public static ReadOnlySequence<byte> Of(ReadOnlySpan<byte> bytes, int size) =>
        Of([.. bytes.ToArray().Chunk(size)]);

    public static ReadOnlySequence<byte> Of(params byte[][] parts)
    {
        Segments first = new() { Memory = parts.Length == 0 ? default : parts[0] };
        Segments last = first;
        foreach (byte[] part in parts.Skip(1))
        {
            Segments next = new() { Memory = part, RunningIndex = last.RunningIndex + last.Memory.Length };
            last.Next = next;
            last = next;
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }
}

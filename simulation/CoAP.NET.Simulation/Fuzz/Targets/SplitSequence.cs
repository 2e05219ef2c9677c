using System.Buffers;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>The same bytes in several pieces, as a pipe may hold them.</summary>
internal sealed class SplitSequence : ReadOnlySequenceSegment<byte>
{
    private SplitSequence(ReadOnlyMemory<byte> memory, long runningIndex)
    {
        Memory = memory;
        RunningIndex = runningIndex;
    }

    /// <summary>Cuts bytes at two places that are drawn from a number; a piece may be empty.</summary>
    public static ReadOnlySequence<byte> Make(ReadOnlyMemory<byte> bytes, ulong where)
    {
        int first = (int)(where % (ulong)(bytes.Length + 1));
        int second = first + (int)((where >> 20) % (ulong)(bytes.Length - first + 1));
        SplitSequence one = new(bytes[..first], 0);
        SplitSequence two = new(bytes[first..second], first);
        SplitSequence three = new(bytes[second..], second);
        one.Next = two;
        two.Next = three;
        return new ReadOnlySequence<byte>(one, 0, three, three.Memory.Length);
    }
}

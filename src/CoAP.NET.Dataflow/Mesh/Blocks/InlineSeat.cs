namespace CoAP.NET.Mesh;

/// <summary>
/// The place of one thread in an <see cref="InlineGate"/>: only that thread writes <see cref="Inside"/>, so it needs no interlocked
/// operation.
/// </summary>
internal sealed class InlineSeat(int thread)
{
    /// <summary>The nesting depth of the thread in the block. Only the thread of the seat writes it.</summary>
    public int Inside;

    /// <summary>Set when another thread took over the seat. Guarded by the gate's lock; the thread of the seat reads it.</summary>
    public bool IsRevoked;

    /// <summary>The thread of the seat.</summary>
    public int Thread { get; } = thread;
}

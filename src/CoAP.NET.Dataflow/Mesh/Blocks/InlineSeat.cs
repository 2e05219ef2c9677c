namespace CoAP.NET.Mesh;

/// <summary>
/// The place of one thread in an <see cref="InlineGate"/>: only that thread writes <see cref="Inside"/>, so it needs no interlocked
/// operation.
/// </summary>
internal sealed class InlineSeat(int thread)
{
    /// <summary>How deep the thread is in the block. Written by the thread of the seat only.</summary>
    public int Inside;

    /// <summary>Set when another thread took the seat over. Guarded by the gate's lock; read by the thread of the seat.</summary>
    public bool IsRevoked;

    /// <summary>Whose seat it is.</summary>
    public int Thread { get; } = thread;
}

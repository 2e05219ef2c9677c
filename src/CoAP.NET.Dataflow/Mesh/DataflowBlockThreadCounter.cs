namespace CoAP.NET.Mesh;

/// <summary>
/// Counts the threads inside a block, so that <c>Completion</c> ends only when the block processes nothing any more, as Dataflow promises.
/// A mutable struct: keep it in a field that is not read-only.
/// </summary>
internal struct DataflowBlockThreadCounter
{
    // The number of threads inside; with the sign bit from the call of TryClose on.
    private const int Closed = int.MinValue;
    private int _inside;
    private int _isFinished;

    /// <summary>Whether <see cref="TryClose"/> has not been called yet.</summary>
    public readonly bool IsOpen => Volatile.Read(in _inside) >= 0;

    /// <summary>Enters. Pair every success with <see cref="Leave"/>; after a failure call <see cref="TryFinish"/>.</summary>
    /// <returns>Whether the gate is open.</returns>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _inside) > 0)
        {
            return true;
        }

        Interlocked.Decrement(ref _inside);
        return false;
    }

    /// <summary>Leaves.</summary>
    /// <returns>Whether the gate is closed, so the caller must call <see cref="TryFinish"/>.</returns>
    public bool Leave() => Interlocked.Decrement(ref _inside) < 0;

    /// <summary>Closes the gate for all further threads. The first caller continues with <see cref="TryFinish"/>.</summary>
    /// <returns>Whether this was the first call.</returns>
    public bool TryClose() => Interlocked.Or(ref _inside, Closed) >= 0;

    /// <summary>Whether the gate is closed and empty. Exactly one caller gets true and then ends the block.</summary>
    /// <param name="evenIfInside">Whether to ignore threads that are still inside.</param>
    public bool TryFinish(bool evenIfInside = false)
    {
        int inside = Volatile.Read(ref _inside);
        return (inside == Closed || (evenIfInside && inside < 0)) && Interlocked.Exchange(ref _isFinished, 1) == 0;
    }
}

namespace CoAP.NET.Testing.Time;

/// <summary>
/// Limits the pauses of a clock while threads outside the test run. When the limit is reached, each step makes only a few pauses, so other
/// work slows a test but never blocks it. Steps that end quiet restore the limit. A test that runs alone may therefore wait long, for
/// example for code that is compiled on a busy machine, or for a thread that gets no processor for seconds. The limit counts pauses of a
/// millisecond and not time, because a busy machine slows all threads equally. Not thread-safe.
/// </summary>
internal sealed class RealTimePauseBudget
{
    private const int Pauses = 5_000;
    private const int LeastOfStep = 20;
    private const int Regained = Pauses / 10;

    private int _left = Pauses;

    /// <summary>The maximum number of pauses in the next step.</summary>
    public int OfStep => Math.Max(_left, LeastOfStep);

    public void Spend() => _left--;

    /// <summary>Restores pauses after a step that ended quiet.</summary>
    public void Regain() => _left = Math.Min(Math.Max(_left, 0) + Regained, Pauses);
}

namespace CoAP.NET.Testing;

/// <summary>
/// How many pauses a clock makes while threads beside the test run; then each step makes a few only, so that such work makes a test slow
/// but not endless. What was spent comes back with the steps that end quiet: a test that runs alone may wait long, as for code that is
/// compiled on a busy machine, or for a thread that gets no processor for seconds. Counted in pauses of a millisecond and not in time: on
/// a busy machine the threads that are waited for are slowed down as much as the one that waits. Not thread-safe.
/// </summary>
internal sealed class Patience
{
    private const int Pauses = 5_000;
    private const int LeastOfStep = 20;
    private const int Regained = Pauses / 10;

    private int _left = Pauses;

    /// <summary>Most pauses of the next step.</summary>
    public int OfStep => Math.Max(_left, LeastOfStep);

    /// <summary>A pause was made.</summary>
    public void Spend() => _left--;

    /// <summary>A step ended quiet.</summary>
    public void Regain() => _left = Math.Min(Math.Max(_left, 0) + Regained, Pauses);
}

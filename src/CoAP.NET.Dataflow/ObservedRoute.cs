namespace CoAP.NET;

/// <summary>A route, as far as who keeps its observers knows it: an identity, and how often it was said to have changed.</summary>
internal sealed class ObservedRoute
{
    private int _changes;

    /// <summary>Counts what was said before any observer is told. By it a registration knows whether something changed while its own handler ran.</summary>
    public int Changes => Volatile.Read(ref _changes);

    public void CountChange() => Interlocked.Increment(ref _changes);
}

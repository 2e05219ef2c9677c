namespace CoAP.NET.Observing;

/// <summary>
/// A route, as far as its observers go: an identity, how often it was said to have changed, and how many observe it. Thread-safe.
/// </summary>
/// <param name="name">The name by which it is the same in other processes: methods and template.</param>
internal sealed class RouteChanges(string name = "")
{
    private int _changes;
    private int _observers;
    private ObserverEvents? _events;

    /// <summary>The name by which it is the same in other processes.</summary>
    public string Name { get; } = name;

    /// <summary>
    /// How often it was said to have changed. Counted before any observer is told: by it a registration knows whether something changed
    /// while its own handler ran.
    /// </summary>
    public int Changes => Volatile.Read(ref _changes);

    /// <summary>How many observers it has.</summary>
    public int Observers => Volatile.Read(ref _observers);

    /// <summary>Who listens to what becomes of its observers; null when nobody ever did.</summary>
    public ObserverEvents? Events => Volatile.Read(ref _events);

    public void CountChange() => Interlocked.Increment(ref _changes);

    public void CountObservers(int by) => Interlocked.Add(ref _observers, by);

    /// <summary>Where to listen.</summary>
    /// <param name="sender">Who events come from.</param>
    public ObserverEvents Listen(object sender) =>
        Events ?? Interlocked.CompareExchange(ref _events, new ObserverEvents(sender), null) ?? Events!;
}

namespace CoAP.NET.Observing;

/// <summary>
/// The observer state of a route: its identity, the number of reported changes, and the number of observers. Thread-safe.
/// </summary>
/// <param name="name">The name of the route in all processes: methods and template.</param>
internal sealed class RouteChanges(string name = "")
{
    private int _changes;
    private int _observers;
    private ObserverEvents? _events;

    /// <summary>The name of the route in all processes.</summary>
    public string Name { get; } = name;

    /// <summary>
    /// The number of reported changes. Counted before any observer is notified: a registration uses it to detect a change during its own
    /// handler.
    /// </summary>
    public int Changes => Volatile.Read(ref _changes);

    /// <summary>The number of its observers.</summary>
    public int Observers => Volatile.Read(ref _observers);

    /// <summary>The events of its observers; null if there was never a handler.</summary>
    public ObserverEvents? Events => Volatile.Read(ref _events);

    public void CountChange() => Interlocked.Increment(ref _changes);

    public void CountObservers(int by) => Interlocked.Add(ref _observers, by);

    /// <summary>Returns the events to subscribe to.</summary>
    /// <param name="sender">The sender of the events.</param>
    public ObserverEvents Listen(object sender) =>
        Events ?? Interlocked.CompareExchange(ref _events, new ObserverEvents(sender), null) ?? Events!;
}

using System.Runtime.CompilerServices;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// The observer state of a route: its identity, the number of reported changes, the number of observers, and the events about them.
/// Thread-safe.
/// </summary>
/// <param name="name">The name of the route in all processes: methods and template.</param>
internal sealed class ObservedRoute(string name = "")
{
    private int _changes;
    private int _observers;
    private object? _sender;
    private UserEventQueue<(string Name, EventHandler<CoapObserverChange> Handlers, CoapObserverChange Change)>? _events;

    public event EventHandler<CoapObserverChange>? Added;

    public event EventHandler<CoapObserverChange>? Removed;

    public event EventHandler<CoapObserverChange>? Acknowledged;

    /// <summary>The name of the route in all processes.</summary>
    public string Name { get; } = name;

    /// <summary>
    /// The number of reported changes. Counted before any observer is notified: a registration uses it to detect a change during its own
    /// handler.
    /// </summary>
    public int Changes => Volatile.Read(ref _changes);

    public int Observers => Volatile.Read(ref _observers);

    public void CountChange() => Interlocked.Increment(ref _changes);

    public void CountObservers(int by) => Interlocked.Add(ref _observers, by);

    /// <summary>Returns this route to subscribe to its events.</summary>
    /// <param name="sender">The sender of the events; the first one remains.</param>
    public ObservedRoute From(object sender)
    {
        Interlocked.CompareExchange(ref _sender, sender, null);
        return this;
    }

    /// <summary>Queues the event that a client became an observer. The caller holds its shard's lock, as for all of these.</summary>
    public void ReportAdded(Observer observer) => Add(nameof(CoapRouteHandlerBuilder.ObserverAdded), Added, observer, null);

    /// <summary>Queues the event that a client is no longer an observer.</summary>
    public void ReportRemoved(Observer observer, CoapObserverEnd end) =>
        Add(nameof(CoapRouteHandlerBuilder.ObserverRemoved), Removed, observer, end);

    /// <summary>Queues the event that a client acknowledged a notification.</summary>
    public void AddAcknowledged(Observer observer) =>
        Add(nameof(CoapRouteHandlerBuilder.ObserverAcknowledged), Acknowledged, observer, null);

    private void Add(string name, EventHandler<CoapObserverChange>? handlers, Observer observer, CoapObserverEnd? end)
    {
        if (handlers is not null)
        {
            CoapObserverChange change = new(CoapPeer.Of(observer.Channel), observer.Subject.Path, end)
            {
                Holder = observer.ApplicationState ??= new StrongBox<object?>(),
            };
            CoapShard shard = observer.Channel.Shard;
            (Volatile.Read(ref _events) ?? CreateEvents(shard.Environment)).Add(shard, (name, handlers, change));
        }
    }

    private UserEventQueue<(string Name, EventHandler<CoapObserverChange> Handlers, CoapObserverChange Change)> CreateEvents(
        CoapEnvironment environment) =>
        LazyInitializer.EnsureInitialized(
            ref _events,
            () => new(environment, next => UserEvents.Raise(environment, next.Name, next.Handlers, _sender!, next.Change)));
}

using System.Runtime.CompilerServices;

namespace CoAP.NET;

/// <summary>Describes a change of an observer of a route: see <see cref="CoapRouteHandlerBuilder.ObserverAdded"/>.</summary>
public sealed class CoapObserverChange
{
    internal CoapObserverChange(CoapPeer peer, string path, CoapObserverEnd? end)
    {
        Peer = peer;
        Path = path;
        End = end;
    }

    /// <summary>The observing client.</summary>
    public CoapPeer Peer { get; }

    /// <summary>The observed path, in URI form: one of the paths that match the template of the route.</summary>
    public string Path { get; }

    /// <summary>The reason why the observer went; null if it came or acknowledged.</summary>
    public CoapObserverEnd? End { get; }

    // Shared by all registrations that renew the observation.
    private StrongBox<object?>? _state;

    /// <summary>
    /// An object of the application for this observer: what a handler of an event stores, later events of the observer have.
    /// </summary>
    /// <remarks>
    /// It lasts as long as the observation, including registrations that renew it; the event that the observer went is the last one with
    /// it. The library does not dispose it, and forgets it with the observer, so there are at most as many as observers. It does not
    /// survive the process. Default null. The handler of the route does not get it, because one run can serve several observers.
    /// </remarks>
    public object? State
    {
        get => _state?.Value;
        set => (_state ??= new StrongBox<object?>()).Value = value;
    }

    internal StrongBox<object?> Holder
    {
        init => _state = value;
    }
}

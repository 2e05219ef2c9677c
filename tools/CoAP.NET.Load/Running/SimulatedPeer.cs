using System.Net;

namespace CoAP.NET.Load.Running;

/// <summary>One peer from the server's view: an address and a port of its own, or a connection. Thread-safe.</summary>
internal sealed class SimulatedPeer
{
    private readonly Lock _gate = new();
    private readonly PlannedRequestFactory _shape;
    private readonly ClientPortRotation _endpoints;
    private readonly long _messagesForEach;
    private readonly long _prepareAt;
    private LoadClient _endpoint;
    private Task<LoadClient>? _next;
    private int _number;
    private long _messages;

    /// <summary>Creates a peer.</summary>
    /// <param name="index">Its number in this process.</param>
    /// <param name="source">Its address; null for the system's choice.</param>
    /// <param name="shape">Creates its requests.</param>
    /// <param name="endpoints">Its endpoints.</param>
    /// <param name="first">The first one of these.</param>
    /// <param name="messagesForEach">Maximum number of messages from one endpoint; the largest number for no limit.</param>
    public SimulatedPeer(int index, IPAddress? source, PlannedRequestFactory shape, ClientPortRotation endpoints, LoadClient first,
        long messagesForEach)
    {
        (Index, Source, _shape, _endpoints, _endpoint, _messagesForEach) = (index, source, shape, endpoints, first, messagesForEach);
        _prepareAt = messagesForEach - (messagesForEach / 6);
    }

    public int Index { get; }

    /// <summary>Its source address; null for the system's choice.</summary>
    public IPAddress? Source { get; }

    /// <summary>Its current client. It changes: see <see cref="Take"/>.</summary>
    public CoapClient Client => Volatile.Read(ref _endpoint).Client;

    /// <summary>Creates a request of the plan from this peer. It may be sent any number of times in sequence.</summary>
    public CoapRequest NewRequest() => _shape.Make(Source);

    /// <summary>
    /// Returns the client for the next request. After some 60,000 messages it is one with another port, because Message IDs must not repeat
    /// within 247 s (RFC 7252 section 4.4) and the library would wait for that. The peer opens it in advance, so that no request is late;
    /// pending requests stay with the old client.
    /// </summary>
    public CoapClient Take()
    {
        if (Interlocked.Increment(ref _messages) >= _prepareAt)
        {
            Move();
        }

        return Client;
    }

    /// <summary>Counts the additional messages of a request with bodies in blocks.</summary>
    public void AddMessages(long count) => Interlocked.Add(ref _messages, count);

    private void Move()
    {
        lock (_gate)
        {
            if (Volatile.Read(ref _messages) < _prepareAt)
            {
                // Another loop of the peer has already done it.
                return;
            }

            _next ??= _endpoints.GetAsync(_number + 1);
            if (_messages >= _messagesForEach && _next.IsCompleted)
            {
                LoadClient next = _next.GetAwaiter().GetResult();
                _endpoints.Leave(_number, _endpoint);
                Volatile.Write(ref _endpoint, next);
                _number++;
                _next = null;
                Interlocked.Exchange(ref _messages, 0);
            }
        }
    }
}

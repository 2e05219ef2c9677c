using System.Net;

namespace CoAP.NET.Cli.Bench;

/// <summary>One peer as the server sees it: an address and a port of its own, or a connection. Thread-safe.</summary>
internal sealed class LoadPeer
{
    private readonly Lock _gate = new();
    private readonly RequestShape _shape;
    private readonly EndpointSeries _endpoints;
    private readonly long _messagesForEach;
    private readonly long _prepareAt;
    private LoadEndpoint _endpoint;
    private Task<LoadEndpoint>? _next;
    private int _number;
    private long _messages;

    /// <summary>Makes a peer.</summary>
    /// <param name="index">Its number in this process.</param>
    /// <param name="source">Its address; null for whatever the system chooses.</param>
    /// <param name="shape">What its requests look like.</param>
    /// <param name="endpoints">What it sends from.</param>
    /// <param name="first">The first one of these.</param>
    /// <param name="messagesForEach">How many messages it sends from one endpoint; the largest number for no bound.</param>
    public LoadPeer(int index, IPAddress? source, RequestShape shape, EndpointSeries endpoints, LoadEndpoint first, long messagesForEach)
    {
        (Index, Source, _shape, _endpoints, _endpoint, _messagesForEach) = (index, source, shape, endpoints, first, messagesForEach);
        _prepareAt = messagesForEach - (messagesForEach / 6);
    }

    public int Index { get; }

    /// <summary>The address that it sends from; null for whatever the system chooses.</summary>
    public IPAddress? Source { get; }

    /// <summary>The client that it sends by now. It changes: see <see cref="Take"/>.</summary>
    public CoapClient Client => Volatile.Read(ref _endpoint).Client;

    /// <summary>A request of the plan, from this peer. It may be sent any number of times, one after the other.</summary>
    public CoapRequest NewRequest() => _shape.Make(Source);

    /// <summary>
    /// The client to send the next request by. After some 60,000 messages that is one with another port, as Message IDs must not be used
    /// again within 247 s (RFC 7252 section 4.4) and the library would wait for that. It is opened before, so that no request is late for
    /// it; what is under way goes on where it was.
    /// </summary>
    public CoapClient Take()
    {
        if (Interlocked.Increment(ref _messages) >= _prepareAt)
        {
            Move();
        }

        return Client;
    }

    /// <summary>Counts the further messages of a request whose bodies went in blocks.</summary>
    public void AddMessages(long count) => Interlocked.Add(ref _messages, count);

    private void Move()
    {
        lock (_gate)
        {
            if (Volatile.Read(ref _messages) < _prepareAt)
            {
                // Another loop of the peer was here before.
                return;
            }

            _next ??= _endpoints.GetAsync(_number + 1);
            if (_messages >= _messagesForEach && _next.IsCompleted)
            {
                LoadEndpoint next = _next.GetAwaiter().GetResult();
                _endpoints.Leave(_number, _endpoint);
                Volatile.Write(ref _endpoint, next);
                _number++;
                _next = null;
                Interlocked.Exchange(ref _messages, 0);
            }
        }
    }
}

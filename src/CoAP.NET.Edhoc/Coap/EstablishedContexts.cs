using CoAP.NET.Oscore;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>
/// The security contexts of sessions: limited in total and per peer, whose older ones are useless after newer ones. Thread-safe.
/// </summary>
/// <param name="contexts">The contexts of the endpoint.</param>
/// <param name="options">The limits.</param>
internal sealed class EstablishedContexts(OscoreContexts contexts, EdhocServerOptions options)
{
    private readonly Lock _gate = new();
    private readonly LinkedList<(string Peer, OscoreContext Context)> _byAge = new();
    private readonly Dictionary<string, LinkedList<LinkedListNode<(string Peer, OscoreContext Context)>>> _byPeer = [];

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _byAge.Count;
            }
        }
    }

    /// <summary>Adds the context of a session.</summary>
    /// <exception cref="EdhocException">Another context took the identifier in the meantime.</exception>
    public void Add(EdhocSession session)
    {
        OscoreContext context = session.CreateContext();
        try
        {
            contexts.Add(context);
        }
        catch (ArgumentException exception)
        {
            throw new EdhocException("Another context has taken the identifier of the server in the meantime.", exception);
        }

        string peer = Convert.ToHexString(session.PeerCredential.Encoded.Span);
        lock (_gate)
        {
            if (!_byPeer.TryGetValue(peer, out LinkedList<LinkedListNode<(string, OscoreContext)>>? own))
            {
                _byPeer[peer] = own = new();
            }

            own.AddLast(_byAge.AddLast((peer, context)));
            if (own.Count > options.MaxContextsPerPeer)
            {
                Remove(own.First!.Value);
            }
            else if (_byAge.Count > options.MaxContexts)
            {
                Remove(_byAge.First!);
            }
        }
    }

    private void Remove(LinkedListNode<(string Peer, OscoreContext Context)> node)
    {
        (string peer, OscoreContext context) = node.Value;
        contexts.Retire(context);
        _byAge.Remove(node);
        LinkedList<LinkedListNode<(string, OscoreContext)>> own = _byPeer[peer];

        // Those of a peer are in order of age as well, so the oldest is its first one.
        own.RemoveFirst();
        if (own.Count == 0)
        {
            _byPeer.Remove(peer);
        }
    }
}

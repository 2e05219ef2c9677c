using CoAP.NET.Guarding;
using CoAP.NET.Oscore;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>
/// The security contexts of sessions: limited in total and per peer, whose older ones are useless after newer ones. Thread-safe.
/// </summary>
internal sealed class EstablishedContexts(OscoreContexts contexts, EdhocServerOptions options)
{
    private readonly SourceQueue<string, Established> _established = new(options.MaxContexts, options.MaxContextsPerPeer);

    public int Count => _established.Count;

    /// <summary>Adds the context of a session.</summary>
    /// <exception cref="EdhocException">Another context took the identifier in the meantime.</exception>
    public void Add(EdhocResult session)
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
        foreach (Established old in _established.Add(new Established(peer, context)))
        {
            contexts.RemoveAndWipe(old.Context);
        }
    }

    // Peers have credentials, so none has to be protected from the others: the oldest context of all makes room.
    private sealed class Established(string peer, OscoreContext context)
        : SourceQueue<string, Established>.Item(peer, source: default, cost: 1)
    {
        public OscoreContext Context => context;
    }
}

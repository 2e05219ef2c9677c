using System.Collections;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Orders sessions by their last record, the one silent longest first: a list linked through the sessions themselves. Not thread-safe.
/// </summary>
internal sealed class SessionOrder : IEnumerable<DtlsSession>
{
    private IntrusiveList<DtlsSession, LinkAccessor> _chain;

    /// <summary>The session that is silent longest; null if empty.</summary>
    public DtlsSession? Oldest => _chain.First;

    /// <summary>The session with the latest record; null if empty.</summary>
    public DtlsSession? Newest => _chain.Last;

    /// <summary>Appends a session.</summary>
    /// <param name="session">One that is not in it.</param>
    public void Append(DtlsSession session) => _chain.Append(session);

    /// <summary>Removes a session.</summary>
    /// <param name="session">One that is in it.</param>
    public void Remove(DtlsSession session) => _chain.Remove(session);

    public IEnumerator<DtlsSession> GetEnumerator()
    {
        for (DtlsSession? session = Oldest; session is not null; session = session.Neighbours.Next)
        {
            yield return session;
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    private readonly struct LinkAccessor : IListLinksAccessor<DtlsSession>
    {
        public static ref ListLinks<DtlsSession> Of(DtlsSession item) => ref item.Neighbours;
    }
}

using System.Collections;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// In which order sessions were last heard of, the one that is silent longest first: a list through the sessions themselves. Not
/// thread-safe.
/// </summary>
internal sealed class SessionOrder : IEnumerable<DtlsSession>
{
    private DtlsSession? _newest;

    /// <summary>The session that is silent longest; null without any.</summary>
    public DtlsSession? Oldest { get; private set; }

    /// <summary>Puts one at the end.</summary>
    /// <param name="session">One that is not in it.</param>
    public void Append(DtlsSession session)
    {
        session.Older = _newest;
        session.Newer = null;
        if (_newest is null)
        {
            Oldest = session;
        }
        else
        {
            _newest.Newer = session;
        }

        _newest = session;
    }

    /// <summary>Takes one out.</summary>
    /// <param name="session">One that is in it.</param>
    public void Remove(DtlsSession session)
    {
        if (session.Older is { } older)
        {
            older.Newer = session.Newer;
        }
        else
        {
            Oldest = session.Newer;
        }

        if (session.Newer is { } newer)
        {
            newer.Older = session.Older;
        }
        else
        {
            _newest = session.Older;
        }

        session.Older = session.Newer = null;
    }

    public IEnumerator<DtlsSession> GetEnumerator()
    {
        for (DtlsSession? session = Oldest; session is not null; session = session.Newer)
        {
            yield return session;
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}

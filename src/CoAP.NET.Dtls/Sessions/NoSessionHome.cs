namespace CoAP.NET.Dtls.Sessions;

/// <summary>The home of a session that nobody finds: whoever receives looks.</summary>
/// <param name="sink">Whom it talks to.</param>
/// <param name="time">The clock.</param>
internal sealed class NoSessionHome(IDtlsSink sink, TimeProvider time) : IDtlsSessionHome
{
    public IDtlsSink Sink => sink;

    public TimeProvider Time => time;

    public long MaxForgeries => long.MaxValue;

    public void OnMoved(DtlsSession session, in DtlsPath from, in DtlsPath to)
    {
    }

    public void OnEnded(DtlsSession session, DtlsEnd reason)
    {
    }
}

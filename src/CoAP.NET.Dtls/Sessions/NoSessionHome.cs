namespace CoAP.NET.Dtls.Sessions;

/// <summary>The home of a session outside of any table: the receiver looks it up itself.</summary>
/// <param name="sink">Receives the output.</param>
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

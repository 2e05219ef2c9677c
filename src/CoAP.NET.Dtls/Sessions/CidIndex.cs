namespace CoAP.NET.Dtls.Sessions;

/// <summary>Sessions by their Connection IDs.</summary>
internal sealed class CidIndex : SessionIndex<ulong>
{
    protected override ulong KeyOf(DtlsSession session) => SessionTable.CidOf(session.OwnCid);

    // Connection IDs are random.
    protected override uint Hash(in ulong key) => (uint)key;
}

using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Sessions by their paths.</summary>
/// <param name="random">The source of the key of the address hash.</param>
internal sealed class PathIndex(CoapRandomSource random) : SessionIndex<DtlsPath>
{
    private readonly CoapAddressHash _hash = new(random);

    /// <summary>Whether only the peer's address identifies a path (<see cref="SessionTable.IsShared"/>).</summary>
    public bool IsByRemote { get; set; }

    /// <summary>Returns a keyed hash of a path.</summary>
    /// <param name="path">The path.</param>
    public ulong HashOf(in DtlsPath path) =>
        IsByRemote ? _hash.Of(path.Remote) : _hash.Of(path.Remote, path.Local) + (ulong)path.Tag;

    protected override DtlsPath KeyOf(DtlsSession session) => session.FixedPath;

    protected override bool Has(DtlsSession session, in DtlsPath key) =>
        IsByRemote ? session.FixedPath.Remote == key.Remote : base.Has(session, key);

    protected override uint Hash(in DtlsPath key) => (uint)HashOf(key);
}

using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Sessions by their paths.</summary>
/// <param name="random">Where the key of the hash of addresses comes from.</param>
internal sealed class PathIndex(CoapRandomSource random) : SessionIndex<DtlsPath>
{
    private readonly CoapAddressHash _hash = new(random);

    /// <summary>Whether only the address of the peer tells paths apart (<see cref="SessionTable.IsShared"/>).</summary>
    public bool IsByRemote { get; set; }

    /// <summary>A keyed hash of a path.</summary>
    /// <param name="path">The path.</param>
    public ulong HashOf(in DtlsPath path) =>
        IsByRemote ? _hash.Of(path.Remote) : _hash.Of(path.Remote, path.Local) + (ulong)path.Tag;

    protected override DtlsPath KeyOf(DtlsSession session) => session.FixedPath;

    protected override bool Has(DtlsSession session, in DtlsPath key) =>
        IsByRemote ? session.FixedPath.Remote == key.Remote : base.Has(session, key);

    protected override uint Hash(in DtlsPath key) => (uint)HashOf(key);
}

using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Steering;

/// <summary>
/// To which local address and socket clients of other servers sent last, so that answers leave from there. So many as there are places: of
/// two at one place the later one has it, and answers to the other leave from where the system chooses. Thread-safe.
/// </summary>
/// <param name="random">Where the key of the hash of addresses comes from.</param>
internal sealed class HeardPaths(CoapRandomSource random)
{
    private const int Places = 1_024;

    private readonly CoapAddressHash _hash = new(random);
    private readonly Lock _gate = new();
    private DtlsPath[]? _paths;

    /// <summary>A client sent something.</summary>
    /// <param name="path">How it came.</param>
    public void Note(in DtlsPath path)
    {
        lock (_gate)
        {
            (_paths ??= new DtlsPath[Places])[PlaceOf(path.Remote)] = path;
        }
    }

    /// <summary>How a client is reached.</summary>
    /// <param name="remote">Where it is.</param>
    public DtlsPath PathTo(in CoapAddress remote)
    {
        lock (_gate)
        {
            return _paths is { } paths && paths[PlaceOf(remote)] is var path && path.Remote == remote
                ? path
                : new DtlsPath(remote, default, 0);
        }
    }

    private int PlaceOf(in CoapAddress remote) => (int)(_hash.Of(remote) % Places);
}

using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Identity;

namespace CoAP.NET.Dtls.Steering;

/// <summary>
/// Remembers the local address and socket that clients of other servers last sent to, so that answers leave from there. Of fixed size: of
/// two clients in one place the later one has it, and answers to the other leave from where the system chooses. Thread-safe.
/// </summary>
/// <param name="random">The source of the key of the address hash.</param>
internal sealed class ForeignClientPathCache(CoapRandomSource random)
{
    private const int Capacity = 1_024;

    private readonly CoapAddressHash _hash = new(random);
    private readonly Lock _gate = new();
    private DtlsPath[]? _paths;

    /// <summary>Notes that a client sent a datagram.</summary>
    /// <param name="path">The path that it came from.</param>
    public void Note(in DtlsPath path)
    {
        lock (_gate)
        {
            (_paths ??= new DtlsPath[Capacity])[PlaceOf(path.Remote)] = path;
        }
    }

    /// <summary>Returns the path to a client.</summary>
    /// <param name="remote">Its address.</param>
    public DtlsPath PathTo(in CoapAddress remote)
    {
        lock (_gate)
        {
            return _paths is { } paths && paths[PlaceOf(remote)] is var path && path.Remote == remote
                ? path
                : new DtlsPath(remote, default, 0);
        }
    }

    private int PlaceOf(in CoapAddress remote) => (int)(_hash.Of(remote) % Capacity);
}

using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>Which local addresses of sessions that were kept are still this host's. Thread-safe.</summary>
/// <param name="sockets">Those of the transport.</param>
internal sealed class OwnAddresses(CoapDatagramTransport sockets)
{
    private readonly Lock _gate = new();

    // Many sessions with few addresses are loaded at once, and the system is slow to ask.
    private CoapAddress _last;
    private bool _isOwn;

    /// <summary>Whether an address is one of this host's; the wildcard is.</summary>
    /// <param name="local">The address.</param>
    public bool Has(in CoapAddress local)
    {
        if (local.IsAny)
        {
            return true;
        }

        lock (_gate)
        {
            if (local != _last)
            {
                _isOwn = sockets.IsOurs(local.ToIPAddress());
                _last = local;
            }

            return _isOwn;
        }
    }
}

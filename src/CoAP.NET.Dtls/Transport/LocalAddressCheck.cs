namespace CoAP.NET.Dtls.Transport;

/// <summary>Finds out which local addresses of kept sessions still belong to this host. Thread-safe.</summary>
/// <param name="sockets">The sockets of the transport.</param>
internal sealed class LocalAddressCheck(CoapDatagramTransport sockets)
{
    private readonly Lock _gate = new();

    // A start loads many sessions with few addresses, and the system call is slow.
    private CoapAddress _last;
    private bool _isOwn;

    /// <summary>Whether an address belongs to this host; the wildcard does.</summary>
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

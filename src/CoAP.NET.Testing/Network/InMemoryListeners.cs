namespace CoAP.NET.Testing.Network;

/// <summary>The listening transports of an <see cref="InMemoryNetwork"/> with connections or sessions, by scheme and address.</summary>
internal sealed class InMemoryListeners
{
    private const ushort FirstEphemeralPort = 49152;

    private readonly Lock _gate = new();
    private readonly Dictionary<(string Scheme, CoapAddress Address), CoapConnectionTransport> _transports = [];

    /// <summary>Registers a transport at its address.</summary>
    /// <param name="local">The address; port 0 takes the next free port from 49152 on.</param>
    /// <param name="transport">The transport.</param>
    /// <returns>The address with its port.</returns>
    /// <exception cref="CoapException">The address is in use.</exception>
    public CoapAddress Add(CoapAddress local, CoapConnectionTransport transport)
    {
        lock (_gate)
        {
            if (local.Port == 0)
            {
                int port = FirstEphemeralPort;
                while (_transports.ContainsKey((transport.Scheme, local with { Port = (ushort)port })))
                {
                    port = port < ushort.MaxValue
                        ? port + 1
                        : throw new CoapException($"The host {local.ToIPAddress()} has no free port left.");
                }

                local = local with { Port = (ushort)port };
            }

            return _transports.TryAdd((transport.Scheme, local), transport)
                ? local
                : throw new CoapException(
                    $"The address {transport.Scheme}://{local} is in use on this network. Dispose the other transport, or use port 0.");
        }
    }

    /// <summary>Finds the transport at an address.</summary>
    /// <exception cref="CoapConnectionException">The address has no transport.</exception>
    public TTransport Find<TTransport>(string scheme, CoapAddress remote)
        where TTransport : CoapConnectionTransport
    {
        lock (_gate)
        {
            return _transports.TryGetValue((scheme, remote), out CoapConnectionTransport? found) && found is TTransport transport
                ? transport
                : throw new CoapConnectionException(
                    CoapError.ConnectFailed,
                    $"No server listens on {scheme} at {remote} on this in-memory network. Let the server listen on {scheme}://, and "
                        + "check the port.");
        }
    }

    public void Remove(CoapAddress local, CoapConnectionTransport transport)
    {
        lock (_gate)
        {
            if (_transports.TryGetValue((transport.Scheme, local), out CoapConnectionTransport? there) && there == transport)
            {
                _transports.Remove((transport.Scheme, local));
            }
        }
    }
}

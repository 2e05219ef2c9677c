namespace CoAP.NET.Transports;

/// <summary>Passes the datagrams at the Transport stage to the traces of the endpoint.</summary>
internal static class TransportTap
{
    public static void See(this WireTaps taps, CoapDatagram datagram, bool isInbound)
    {
        if (datagram.Transport is not { } transport)
        {
            return;
        }

        CoapAddress remote = datagram.Remote;
        CoapAddress local = datagram.Local;
        if (datagram.Channel is { Connection: { } connection })
        {
            (remote, local) = (connection.Remote, connection.Local);
        }
        else if (local.Port == 0 && transport.LocalAddresses is [var bound, ..])
        {
            local = local with { Port = bound.Port };
        }

        taps.See(datagram.Span, transport.Scheme, remote, local, transport.IsReliable, isInbound);
    }
}

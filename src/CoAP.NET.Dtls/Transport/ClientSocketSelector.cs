using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// Selects the sockets by which a client reaches servers of several names at one address. A handshake over a path replaces the session
/// there (RFC 6347 section 4.2.8), and without a Connection ID only the path identifies a session. Therefore each name has its own local
/// port, and with it its own path. Thread-safe.
/// </summary>
/// <param name="engine">The engine of the transport.</param>
/// <param name="transport">Creates further sockets.</param>
/// <param name="sockets">The sockets of the transport.</param>
/// <param name="outer">The context that the endpoint gave the transport.</param>
internal sealed class ClientSocketSelector(
    DtlsEngine engine, CoapDtlsTransport transport, CoapDatagramTransport sockets, ICoapSessionTransportContext outer)
{
    // The maximum number of concurrent sessions with different names at one address; it binds sockets only when needed.
    private const int MaxIndex = 31;

    // Tags of the transport's own sockets are small.
    public const int IndexShift = 16;
    public const int TagMask = (1 << IndexShift) - 1;

    private readonly Lock _gate = new();
    private readonly Dictionary<(CoapAddress Remote, int Tag), HandshakePathReservation> _reservations = [];
    private readonly Task<CoapUdpTransport>?[] _further = new Task<CoapUdpTransport>?[MaxIndex];

    /// <summary>Returns the path as requested, independent of the sockets that it uses.</summary>
    /// <param name="path">The path.</param>
    public static DtlsPath AsAsked(in DtlsPath path) => path with { Tag = path.Tag & TagMask };

    /// <summary>Releases a reserved path when its last holder is done.</summary>
    /// <param name="reservation">The result of <see cref="ReserveAsync"/>.</param>
    public void Release(HandshakePathReservation reservation)
    {
        lock (_gate)
        {
            if (--reservation.Holders == 0)
            {
                _reservations.Remove((reservation.Path.Remote, reservation.Path.Tag));
            }
        }
    }

    /// <summary>Closes the sockets other than those of the transport.</summary>
    public async ValueTask CloseAsync()
    {
        foreach (Task<CoapUdpTransport>? starting in _further)
        {
            if (starting is not null)
            {
                await starting.ContinueWith(static task => task.Exception, TaskScheduler.Default).ConfigureAwait(false);
                if (starting.IsCompletedSuccessfully)
                {
                    await starting.Result.DisposeAsync().ConfigureAwait(false);
                }
            }
        }
    }

    /// <summary>Returns the sockets of a path.</summary>
    /// <param name="path">The path.</param>
    public CoapDatagramTransport SocketsOf(in DtlsPath path) =>
        path.Tag >> IndexShift is var index and > 0
            && Volatile.Read(ref _further[index - 1]) is { IsCompletedSuccessfully: true } further ? further.Result : sockets;

    /// <summary>Reserves a path without a session or handshake with a server of another name.</summary>
    /// <param name="client">The client with the sessions.</param>
    /// <param name="path">The requested path.</param>
    /// <param name="serverName">The name of the server; null for an address.</param>
    /// <exception cref="CoapConnectionException">There is no free path.</exception>
    public async ValueTask<HandshakePathReservation> ReserveAsync(DtlsClient client, DtlsPath path, string? serverName)
    {
        HandshakePathReservation reservation = Reserve(client, path, serverName);
        try
        {
            if (reservation.Path.Tag >> IndexShift is var index and > 0)
            {
                await BindAsync(index).ConfigureAwait(false);
            }

            return reservation;
        }
        catch (CoapException exception)
        {
            reservation.Dispose();
            throw new CoapConnectionException(
                CoapError.ConnectFailed,
                $"No session with {serverName} at {path.Remote}: one with a server of another name is open, and another local port "
                    + $"could not be opened. {exception.Message}",
                exception);
        }
    }

    private HandshakePathReservation Reserve(DtlsClient client, in DtlsPath path, string? serverName)
    {
        lock (_gate)
        {
            DtlsPath? free = null;
            for (int index = 0; index <= MaxIndex; index++)
            {
                DtlsPath candidate = path with { Tag = path.Tag | (index << IndexShift) };
                bool isReserved = _reservations.TryGetValue((candidate.Remote, candidate.Tag), out HandshakePathReservation? reservation);
                DtlsSession? session = client.Find(candidate);
                if (isReserved ? reservation!.ServerName == serverName : session is not null && session.ServerName == serverName)
                {
                    // The caller replaces its session, or waits for its handshake.
                    return Hold(candidate, serverName);
                }

                if (!isReserved && session is null)
                {
                    free ??= candidate;
                }
            }

            return free is { } found
                ? Hold(found, serverName)
                : throw new CoapConnectionException(
                    CoapError.ConnectFailed,
                    $"No session with {serverName} at {path.Remote}: {MaxIndex + 1} with servers of other names at this address are open. "
                        + "Release some of them.");
        }
    }

    private HandshakePathReservation Hold(in DtlsPath path, string? serverName)
    {
        if (!_reservations.TryGetValue((path.Remote, path.Tag), out HandshakePathReservation? reservation))
        {
            _reservations[(path.Remote, path.Tag)] = reservation = new HandshakePathReservation(this, path, serverName);
        }

        reservation.Holders++;
        return reservation;
    }

    private async Task BindAsync(int index)
    {
        Task<CoapUdpTransport> starting;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(engine.IsDisposed, engine);
            ref Task<CoapUdpTransport>? place = ref _further[index - 1];
            if (place is null or { IsCompleted: true, IsCompletedSuccessfully: false })
            {
                Volatile.Write(ref place, StartAsync(index));
            }

            starting = place!;
        }

        _ = await starting.ConfigureAwait(false);
    }

    private async Task<CoapUdpTransport> StartAsync(int index)
    {
        // Yields first, to run outside of the gate.
        await Task.Yield();
        CoapUdpTransport further = transport.MakeFurther();
        try
        {
            await further.StartAsync(new DtlsSocketContext(engine, outer, index), CancellationToken.None).ConfigureAwait(false);
            return further;
        }
        catch
        {
            await further.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}

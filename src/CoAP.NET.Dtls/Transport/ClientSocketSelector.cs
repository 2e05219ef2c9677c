using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>
/// Selects the sockets by which a client reaches servers of several names at one address. A handshake over a path replaces the session
/// there (RFC 6347 section 4.2.8), and without a Connection ID only the path identifies a session. So each name has a port of its own at
/// this end, and with it a path. Thread-safe.
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

    private readonly Lock _claimGate = new();
    private readonly Dictionary<(CoapAddress Remote, int Tag), ClientPathReservation> _claims = [];
    private readonly Task<CoapUdpTransport>?[] _further = new Task<CoapUdpTransport>?[MaxIndex];

    /// <summary>Returns the path as requested, independent of the sockets that it uses.</summary>
    /// <param name="path">The path.</param>
    public static DtlsPath AsAsked(in DtlsPath path) => path with { Tag = path.Tag & TagMask };

    /// <summary>Releases a claimed path.</summary>
    /// <param name="claim">The result of <see cref="ClaimAsync"/>.</param>
    public void Release(ClientPathReservation claim)
    {
        lock (_claimGate)
        {
            if (--claim.Holders == 0)
            {
                _claims.Remove((claim.Path.Remote, claim.Path.Tag));
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

    /// <summary>Finds a path without a session or handshake with a server of another name.</summary>
    /// <param name="client">Has the sessions.</param>
    /// <param name="path">The requested path.</param>
    /// <param name="serverName">The name of the server; null for an address.</param>
    /// <exception cref="CoapConnectionException">There is no free path.</exception>
    public async ValueTask<ClientPathReservation> ClaimAsync(DtlsClient client, DtlsPath path, string? serverName)
    {
        ClientPathReservation claim = Claim(client, path, serverName);
        try
        {
            if (claim.Path.Tag >> IndexShift is var index and > 0)
            {
                await BindAsync(index).ConfigureAwait(false);
            }

            return claim;
        }
        catch (CoapException exception)
        {
            claim.Dispose();
            throw new CoapConnectionException(
                CoapError.ConnectFailed,
                $"No session with {serverName} at {path.Remote}: one with a server of another name is open, and there is no further port "
                    + $"to leave from. {exception.Message}",
                exception);
        }
    }

    private ClientPathReservation Claim(DtlsClient client, in DtlsPath path, string? serverName)
    {
        lock (_claimGate)
        {
            DtlsPath? free = null;
            for (int index = 0; index <= MaxIndex; index++)
            {
                DtlsPath candidate = path with { Tag = path.Tag | (index << IndexShift) };
                bool isClaimed = _claims.TryGetValue((candidate.Remote, candidate.Tag), out ClientPathReservation? claim);
                DtlsSession? session = client.Find(candidate);
                if (isClaimed ? claim!.ServerName == serverName : session is not null && session.ServerName == serverName)
                {
                    // The caller replaces its session, or waits for its handshake.
                    return Take(candidate, serverName);
                }

                if (!isClaimed && session is null)
                {
                    free ??= candidate;
                }
            }

            return free is { } found
                ? Take(found, serverName)
                : throw new CoapConnectionException(
                    CoapError.ConnectFailed,
                    $"No session with {serverName} at {path.Remote}: {MaxIndex + 1} with servers of other names at this address are open. "
                        + "Release some of them.");
        }
    }

    private ClientPathReservation Take(in DtlsPath path, string? serverName)
    {
        if (!_claims.TryGetValue((path.Remote, path.Tag), out ClientPathReservation? claim))
        {
            _claims[(path.Remote, path.Tag)] = claim = new ClientPathReservation(this, path, serverName);
        }

        claim.Holders++;
        return claim;
    }

    private async Task BindAsync(int index)
    {
        Task<CoapUdpTransport> starting;
        lock (_claimGate)
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

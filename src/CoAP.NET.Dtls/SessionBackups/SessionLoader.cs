using System.Collections.Concurrent;
using System.Security.Cryptography;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>Loads kept sessions into a server. Thread-safe.</summary>
/// <param name="backup">The backup of the sessions.</param>
/// <param name="server">The server.</param>
/// <param name="sessions">Its sessions.</param>
/// <param name="limits">Limits of sessions.</param>
/// <param name="seal">Decrypts the states.</param>
internal sealed class SessionLoader(
    SessionBackup backup, DtlsServer server, SessionTable sessions, DtlsServerLimits limits, SessionStateCipher seal)
{
    // The state of a session with a pre-shared key; those with certificates are longer.
    private const int UsualLength = 512;

    private readonly Lock _gate = new();

    // Few sessions have such a state, and not for long.
    private readonly ConcurrentDictionary<DtlsSessionWithBackup, byte[]> _seen = new();

    // The sessions of the start, until all of them are loaded.
    private List<DtlsSessionWithBackup>? _first = [];
    private bool _isStopped;
    private int _unreadable;

    /// <summary>Number of states that were not readable.</summary>
    public int Unreadable => Volatile.Read(ref _unreadable);

    /// <inheritdoc cref="CoapDtlsSessionLoader.TryLoadParts"/>
    public CoapDtlsSessionLoad TryLoad(ReadOnlySpan<byte> state, ReadOnlySpan<byte> progress, long stamp)
    {
        // Several threads may load at the same time.
        Span<byte> plain = stackalloc byte[UsualLength];
        DtlsSessionWithBackup session;
        byte[]? seen;
        try
        {
            bool isOpened = !Volatile.Read(ref _isStopped) && seal.TryOpen(state, plain, out plain);
            if (Volatile.Read(ref _isStopped))
            {
                return CoapDtlsSessionLoad.Stopped;
            }

            if (!isOpened)
            {
                return OnUnreadable();
            }

            session = SessionStateFormat.Read(plain, SessionRecordNumbers.Parse(progress), backup, server, out seen);
            session.Stamp = stamp;
        }
        catch (InvalidDataException)
        {
            return OnUnreadable();
        }
        finally
        {
            CryptographicOperations.ZeroMemory(plain);
        }

        CoapDtlsSessionLoad result = session.Idle > limits.IdleTimeout ? CoapDtlsSessionLoad.Expired
            : !session.HasNumbers ? CoapDtlsSessionLoad.UsedUp
            : (session.HasCid ? sessions.Find(session.OwnCid) : sessions.Find(session.Path)) is { } known
                ? OnKnown(session, known)
                : CoapDtlsSessionLoad.Loaded;
        if (result != CoapDtlsSessionLoad.Loaded)
        {
            session.Discard();
            if (result != CoapDtlsSessionLoad.Known)
            {
                backup.Forget(session);
            }

            return result;
        }

        if (seen is not null)
        {
            _seen[session] = seen;
        }

        lock (_gate)
        {
            if (_first is { } first)
            {
                first.Add(session);
                return result;
            }
        }

        server.Open(session);
        return result;
    }

    /// <summary>Opens the sessions loaded at the start, the longest idle one first, so that it is evicted first.</summary>
    /// <returns>The number of sessions, without those over the limit.</returns>
    public int TakeFirst()
    {
        List<DtlsSessionWithBackup> loaded;
        lock (_gate)
        {
            loaded = _first ?? [];
            _first = null;
        }

        loaded = SortedByLastReceived(loaded);
        int tooMany = loaded.Count - Math.Max(0, limits.MaxSessions - sessions.Count);
        if (tooMany > 0)
        {
            foreach (DtlsSessionWithBackup session in loaded.GetRange(0, tooMany))
            {
                session.Discard();
                TakeSeen(session);
                backup.Forget(session);
            }

            loaded.RemoveRange(0, tooMany);
        }

        server.Open(loaded);
        return loaded.Count(static session => !session.IsClosed);
    }

    /// <summary>Returns what earlier owners of a session know of received messages, so that no duplicate runs.</summary>
    /// <param name="session">The session.</param>
    /// <returns>The state, once; null for nothing.</returns>
    public byte[]? TakeSeen(DtlsSessionWithBackup session) => session.IsLoaded && _seen.TryRemove(session, out byte[]? seen) ? seen : null;

    /// <summary>Rejects further sessions.</summary>
    public void Stop()
    {
        Volatile.Write(ref _isStopped, true);
    }

    // Reads the times once: there may be very many sessions, spread over memory.
    private static List<DtlsSessionWithBackup> SortedByLastReceived(List<DtlsSessionWithBackup> sessions)
    {
        long[] times = [.. sessions.Select(static session => session.LastReceived)];
        DtlsSessionWithBackup[] sorted = [.. sessions];
        Array.Sort(times, sorted);
        return [.. sorted];
    }

    private CoapDtlsSessionLoad OnUnreadable()
    {
        Interlocked.Increment(ref _unreadable);
        return CoapDtlsSessionLoad.Unreadable;
    }

    // Its client may have opened a new session over the same path; then the old one is useless everywhere.
    private CoapDtlsSessionLoad OnKnown(DtlsSessionWithBackup session, DtlsSession known)
    {
        if (known is not DtlsSessionWithBackup kept || kept.Id != session.Id)
        {
            backup.Forget(session);
        }
        else if (kept.Stamp != session.Stamp)
        {
            // Another server has used its record numbers.
            kept.End(DtlsSessionEndReason.TakenOver, tells: false);
            return CoapDtlsSessionLoad.Loaded;
        }

        return CoapDtlsSessionLoad.Known;
    }
}

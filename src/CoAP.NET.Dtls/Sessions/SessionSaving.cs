using System.Security.Cryptography;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Sessions of a server that outlive the process. Thread-safe.</summary>
/// <param name="server">The server.</param>
/// <param name="sessions">Its sessions.</param>
/// <param name="limits">How many it takes.</param>
/// <param name="time">The clock.</param>
internal sealed class SessionSaving(DtlsServer server, SessionTable sessions, DtlsServerLimits limits, TimeProvider time) : IDisposable
{
    private readonly Lock _keptGate = new();
    private StateWriter? _kept;

    /// <summary>
    /// Saves all sessions, to be loaded once by another process, or by this one after its server was disposed of. To be called when no
    /// datagram is taken any more: what comes afterwards could come a second time to whoever loads them. A session that goes on
    /// nevertheless has 2^20 records left, until it is saved again; then only what was saved last may be loaded.
    /// </summary>
    /// <param name="key">Encrypts them (AES-GCM): 16, 24 or 32 bytes.</param>
    /// <returns>What is to be kept: delete it before it is loaded.</returns>
    /// <exception cref="CryptographicException">The key has another length.</exception>
    public byte[] Save(ReadOnlySpan<byte> key)
    {
        // Nothing is marked as saved that cannot be encrypted.
        using AesGcm cipher = SavedSessions.CipherOf(key);
        using StateWriter writer = new();
        writer.WriteNumber(time.GetUtcNow().UtcTicks);
        foreach (DtlsSession session in sessions.ToArray())
        {
            session.TrySave(writer);
        }

        return SavedSessions.Seal(writer.Written, cipher, server.Random);
    }

    /// <summary>Loads sessions that were saved; <see cref="IDtlsSink.Opened"/> is told of each. To be called before the first datagram is
    /// taken.</summary>
    /// <param name="data">What <see cref="Save"/> gave.</param>
    /// <param name="key">The key that it was given.</param>
    /// <returns>How many; without those that were idle for too long meanwhile, or are too many.</returns>
    /// <exception cref="CryptographicException">The key has another length than keys have.</exception>
    /// <exception cref="InvalidDataException">It is no such data, was changed, or the key is another.</exception>
    /// <exception cref="InvalidOperationException">It was loaded before.</exception>
    public int Load(byte[] data, ReadOnlySpan<byte> key)
    {
        byte[] plain = SavedSessions.Open(data, key);
        List<DtlsSession> loaded = [];
        try
        {
            StateReader reader = new(plain);
            TimeSpan age = TimeSpan.FromTicks(Math.Max(0, time.GetUtcNow().UtcTicks - reader.ReadNumber()));
            while (!reader.IsAtEnd)
            {
                DtlsSession session = SavedSessions.Read(ref reader, age, server);
                loaded.Add(session);
                if (session.OwnCid.Length is not (0 or DtlsServer.CidLength))
                {
                    throw new InvalidDataException("A saved session has a Connection ID of another length.");
                }
            }
        }
        catch (InvalidDataException)
        {
            loaded.ForEach(static session => session.Discard());
            throw;
        }
        finally
        {
            CryptographicOperations.ZeroMemory(plain);
        }

        return Take(loaded);
    }

    /// <summary>Ends a session without a word to the peer, and keeps it for <see cref="SealKept"/>.</summary>
    /// <param name="session">The session.</param>
    public void EndToKeep(DtlsSession session)
    {
        lock (_keptGate)
        {
            if (_kept is null)
            {
                _kept = new StateWriter();
                _kept.WriteNumber(time.GetUtcNow().UtcTicks);
            }

            _ = session.TrySave(_kept);
        }

        session.End(DtlsEnd.Saved, tells: !session.IsSaved);
    }

    /// <summary>Gives what <see cref="EndToKeep"/> kept, with all sessions that there still are, and ends these.</summary>
    /// <param name="key">As for <see cref="Save"/>.</param>
    /// <returns>As <see cref="Save"/>; null when there is none.</returns>
    public byte[]? SealKept(ReadOnlySpan<byte> key)
    {
        foreach (DtlsSession session in sessions.Shut())
        {
            EndToKeep(session);
        }

        using AesGcm cipher = SavedSessions.CipherOf(key);
        lock (_keptGate)
        {
            using StateWriter? kept = _kept;
            _kept = null;
            return kept is null ? null : SavedSessions.Seal(kept.Written, cipher, server.Random);
        }
    }

    /// <summary>Wipes what was kept and not sealed.</summary>
    public void Dispose()
    {
        lock (_keptGate)
        {
            _kept?.Dispose();
            _kept = null;
        }
    }

    private int Take(List<DtlsSession> loaded)
    {
        // The one idle longest stands first.
        int tooMany = loaded.Count - Math.Max(0, limits.MaxSessions - sessions.Count);
        int taken = 0;
        for (int i = 0; i < loaded.Count; i++)
        {
            if (i < tooMany || loaded[i].Idle > limits.IdleTimeout)
            {
                loaded[i].Discard();
            }
            else
            {
                server.Open(loaded[i]);
                taken += loaded[i].IsClosed ? 0 : 1;
            }
        }

        return taken;
    }
}

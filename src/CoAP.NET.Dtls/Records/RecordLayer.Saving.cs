using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Records;

/// <content>To be kept, and loaded by another process.</content>
internal sealed partial class RecordLayer
{
    /// <summary>
    /// How many numbers are asked for at a time where a session is kept, so that another process can go on with it: that begins where the
    /// numbers end that this one may use, so no number, and no nonce with it, is used twice.
    /// </summary>
    public const ulong NumbersOfReserve = 1UL << 20;

    /// <summary>The number of the next record.</summary>
    public ulong NextSequence => _nextSequence;

    /// <summary>Whether half of what may still be sent is used, where it is a reserve: time to ask for more.</summary>
    public bool IsRunningLow => _nextSequence + (NumbersOfReserve / 2) >= _end;

    /// <summary>Whether another process may begin with a number, and have enough of them.</summary>
    /// <param name="sequence">The number.</param>
    public bool CanContinueAt(ulong sequence) => sequence + NumbersOfReserve < _suite.MaxRecords;

    /// <summary>Uses no number from one on.</summary>
    /// <param name="end">The first that is not to be used.</param>
    public void Limit(ulong end) => _end = Math.Min(_end, end);

    /// <summary>Lets further numbers be used. What long records used up of the keys stays used up.</summary>
    /// <param name="by">How many.</param>
    public void Extend(ulong by) => _end = Math.Min(_end + by, _suite.MaxRecords);

    /// <summary>Which records came; put back, those since count as not received.</summary>
    public ReplayWindow Window
    {
        get => _window;
        set => _window = value;
    }

    /// <summary>Takes no record any more whose number is not higher than all that came.</summary>
    /// <returns>The lowest number that is taken.</returns>
    public ulong CloseWindow()
    {
        _window = ReplayWindow.From(_window.Next);
        return _window.Next;
    }

    /// <summary>Writes all of it, with its keys.</summary>
    /// <param name="writer">Takes it.</param>
    /// <param name="sequence">The number that whoever loads it begins with.</param>
    public void Write(StateWriter writer, ulong sequence)
    {
        writer.WriteNumber(_suite.Id);
        writer.WriteFlag(_isServer);
        writer.WriteBytes(_keys);
        writer.WriteBytes(OwnCid);
        writer.WriteBytes(PeerCid);
        writer.WriteNumber((long)_window.Next);
        writer.WriteNumber((long)sequence);
        writer.WriteNumber(Forgeries);
    }

    /// <summary>Reads what was saved. Records as old as the newest that had come are refused, as nobody knows which of them had.</summary>
    /// <param name="reader">Where from.</param>
    /// <returns>The records.</returns>
    /// <exception cref="InvalidDataException">This was not saved by <see cref="Write"/>.</exception>
    public static RecordLayer Load(ref StateReader reader)
    {
        CipherSuite? suite = CipherSuite.Find((int)reader.ReadNumber());
        bool isServer = reader.ReadFlag();
        ReadOnlySpan<byte> saved = reader.ReadBytes();
        byte[] ownCid = reader.ReadBytes().ToArray();
        byte[] peerCid = reader.ReadBytes().ToArray();
        ulong received = (ulong)reader.ReadNumber();
        ulong sent = (ulong)reader.ReadNumber();
        long forgeries = reader.ReadNumber();
        if (suite is null || saved.Length != KeyBlock.Length || ownCid.Length > MaxCidLength || peerCid.Length > MaxCidLength
            || received > SequenceEnd || sent >= SequenceEnd)
        {
            throw new InvalidDataException("The saved sessions are of another version.");
        }

        KeyBlock keys = default;
        saved.CopyTo(keys);
        RecordLayer records = new(suite, keys, isServer, ownCid, peerCid)
        {
            _window = ReplayWindow.From(received),
            _nextSequence = sent,
            _forgeries = (int)Math.Clamp(forgeries, 0, int.MaxValue)
        };
        keys.Clear();
        return records;
    }
}

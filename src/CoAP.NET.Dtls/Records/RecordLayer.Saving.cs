using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Records;

/// <content>Saves the records, and loads them in another process.</content>
internal sealed partial class RecordLayer
{
    /// <summary>
    /// Record numbers to request at a time for a kept session. Another process that continues the session begins after the numbers that
    /// this one may use, so no number, and with it no nonce, occurs twice.
    /// </summary>
    public const ulong NumbersOfReserve = 1UL << 20;

    /// <summary>The number of the next record.</summary>
    public ulong NextSequence => _nextSequence;

    /// <summary>Whether the session has used half of a reserve, and should request more.</summary>
    public bool IsRunningLow => _nextSequence + (NumbersOfReserve / 2) >= _end;

    /// <summary>Whether another process could begin with a number and would have enough of them.</summary>
    /// <param name="sequence">The number.</param>
    public bool CanContinueAt(ulong sequence) => sequence + NumbersOfReserve < _suite.MaxRecords;

    /// <summary>Bars the use of numbers from a value on.</summary>
    /// <param name="end">The first number that is out of bounds.</param>
    public void Limit(ulong end) => _end = Math.Min(_end, end);

    /// <summary>Allows further numbers, less those that long records used up of the keys.</summary>
    /// <param name="by">The number of further numbers.</param>
    public void Extend(ulong by) => _end = Math.Min(_end + by, _suite.MaxRecords);

    /// <summary>The received record numbers. If you restore an earlier value, records since then count as not received.</summary>
    public ReplayWindow Window
    {
        get => _window;
        set => _window = value;
    }

    /// <summary>Rejects all records whose number is not higher than every received one.</summary>
    /// <returns>The lowest number that it accepts.</returns>
    public ulong CloseWindow()
    {
        _window = ReplayWindow.From(_window.Next);
        return _window.Next;
    }

    /// <summary>Writes the complete state, with its keys.</summary>
    /// <param name="writer">Receives the state.</param>
    /// <param name="sequence">The number with which the next owner begins.</param>
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

    /// <summary>
    /// Reads a saved state. The result rejects records as old as the newest received one, because it is unknown which of them arrived.
    /// </summary>
    /// <param name="reader">The source.</param>
    /// <param name="progress">What messages have changed since, or an older value: the higher numbers count.</param>
    /// <returns>The records.</returns>
    /// <exception cref="InvalidDataException">The bytes do not come from <see cref="Write"/>.</exception>
    public static RecordLayer Load(ref StateReader reader, SessionProgress progress = default)
    {
        CipherSuite? suite = CipherSuite.Find((int)reader.ReadNumber());
        bool isServer = reader.ReadFlag();
        ReadOnlySpan<byte> saved = reader.ReadBytes();
        byte[] ownCid = reader.ReadBytes().ToArray();
        byte[] peerCid = reader.ReadBytes().ToArray();
        ulong received = Math.Max((ulong)reader.ReadNumber(), progress.Received);
        ulong sent = Math.Max((ulong)reader.ReadNumber(), progress.Sequence);
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
